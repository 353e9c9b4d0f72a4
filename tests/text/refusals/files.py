# RUN: tilefoundry check %s
# EXIT: 1
from math import sqrt  # ERROR: TF2005
from .local import name  # ERROR: TF2005
from tilefoundry import func
from tilefoundry.dsl import Tensor


def helper(n):
    return n * 2


print("text")  # ERROR: TF2100
n = helper(4)  # ERROR: TF2044
for i in range(4):  # ERROR: TF2100
    pass
if n > 4:  # ERROR: TF2100
    pass
m = sqrt(4)  # nothing more about sqrt
n += 1  # ERROR: TF2100


@func
def f(x: Tensor[(4,), "f32"]):
    return x


y = f(n)  # nothing more about n
z = f(4)  # ERROR: TF2046

if __name__ == "__main__":
    print("skipped")
