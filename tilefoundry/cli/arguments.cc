#include "tilefoundry/cli/arguments.h"

#include <charconv>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/support/version.h"

namespace tilefoundry::cli {
namespace {

using Verb = int (*)(const Options&);

// What CLI11 collects before it is checked.
struct Raw {
  std::vector<std::string> dims;
  std::vector<std::string> ranges;
  std::vector<std::string> blocks;
  std::string diagnostics = "text";
};

// NAME=VALUE, or nothing.
bool split_assignment(const std::string& text, std::string& name, std::string& value) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return true;
}

bool parse_integer(const std::string& text, std::int64_t& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

void parse_dims(const Raw& raw, Options& options) {
  for (const std::string& text : raw.dims) {
    std::string name;
    std::string value;
    std::int64_t extent = 0;
    if (!split_assignment(text, name, value) || !parse_integer(value, extent) || extent < 0) {
      throw CLI::ValidationError("--dim", "expected NAME=EXTENT, got \"" + text + "\"");
    }
    options.dims[name] = extent;
  }
}

void parse_blocks(const Raw& raw, Options& options) {
  for (const std::string& text : raw.blocks) {
    std::string name;
    std::string value;
    std::int64_t size = 0;
    if (!split_assignment(text, name, value) || !parse_integer(value, size) || size < 1) {
      throw CLI::ValidationError("--block", "expected NAME=SIZE, got \"" + text + "\"");
    }
    options.blocks[name] = size;
  }
}

void parse_ranges(const Raw& raw, Options& options) {
  for (const std::string& text : raw.ranges) {
    std::string name;
    std::string value;
    IntegerRange range;
    const bool named = split_assignment(text, name, value);
    const std::size_t colon = value.find(':');
    if (!named || colon == std::string::npos || !parse_integer(value.substr(0, colon), range.lo) ||
        !parse_integer(value.substr(colon + 1), range.hi)) {
      throw CLI::ValidationError("--range", "expected NAME=LO:HI, got \"" + text + "\"");
    }
    options.ranges[name] = range;
  }
}

void add_file(CLI::App& verb, Options& options) {
  verb.add_option("file", options.file,
                  "Program to load; `-` reads standard input. A selector names a Module of the "
                  "file, then child Modules by dots, then a function.")
      ->required()
      ->type_name("FILE[:SELECTOR]");
}

void add_output_form(CLI::App& verb, Options& options, Raw& raw) {
  verb.add_flag("--json", options.json, "Print the result as JSON");
  verb.add_option("--diagnostics", raw.diagnostics, "Form of error messages: text or json")
      ->check(CLI::IsMember({"text", "json"}));
  verb.add_option("--color", options.color, "Colour error messages: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_compilation(CLI::App& verb, Options& options, Raw& raw) {
  verb.add_option("--target", options.target, "Target for a program that declares none")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  verb.add_option("--passes", options.passes, "Run exactly these passes")->type_name("NAME,...");
  verb.add_option("--disable-pass", options.disabled_passes,
                  "Leave a pass of the default pipeline out")
      ->type_name("NAME");
  verb.add_option("--block", raw.blocks, "Size of a block loop, by its name in the TIR")
      ->type_name("NAME=SIZE");
  verb.add_option("--dump-dir", options.dump_dir,
                  "Write the IR around every pass below this folder")
      ->type_name("DIR");
  verb.add_flag("--timing", options.timing, "Print what each pass took");
  verb.add_option("--trace", options.trace, "Write pass timings as a Chrome trace")
      ->type_name("FILE");
}

void add_inputs(CLI::App& verb, Options& options, Raw& raw) {
  verb.add_option("--inputs", options.inputs, "`random`, or one .npy file per input")
      ->type_name("random|FILE.npy...");
  verb.add_option("--seed", options.seed, "Seed of random inputs");
  verb.add_option("--dim", raw.dims, "Extent of a dimension, for random inputs")
      ->type_name("NAME=EXTENT");
  verb.add_option("--range", raw.ranges, "Half-open range of a random integer input")
      ->type_name("NAME=LO:HI");
}

void add_running(CLI::App& verb, Options& options, Raw& raw) {
  add_inputs(verb, options, raw);
  verb.get_option("--inputs")->required();
  verb.add_flag("--verify", options.verify, "Compare every output with the reference interpreter");
  verb.add_option("--repeat", options.repeat, "Time this many calls")
      ->check(CLI::Range(0, 1 << 20));
  verb.add_option("--save", options.save, "Write out0.npy, out1.npy... into a folder")
      ->type_name("DIR");
  verb.add_flag("--evaluate", options.evaluate, "Run the interpreter instead of generated code");
  verb.add_flag("--profile", options.profile,
                "Time every loop nest of the generated code, over --repeat calls (10)")
      ->excludes("--evaluate");
  verb.add_option("--threads", options.threads, "Number of threads; 0 takes what the machine has")
      ->check(CLI::Range(0, 4096));
}

void add_tuning(CLI::App& verb, Options& options, Raw& raw) {
  add_inputs(verb, options, raw);
  verb.add_option("--target", options.target, "Target for a program that declares none")
      ->check(CLI::IsMember({"cpu"}));
  verb.add_option("--repeat", options.repeat, "Most calls to time a candidate with; default 20")
      ->check(CLI::Range(1, 1 << 20));
  verb.add_option("--seconds", options.seconds, "Begin no candidate after this time; default 60")
      ->check(CLI::Range(0.0, 86400.0));
  verb.add_flag("--forget", options.forget, "Remove what was kept for this program");
}

// The words as CLI11 takes them: last first. "-:NAME" is standard input with a selector, not a
// flag.
std::vector<std::string> reversed_words(const std::vector<std::string>& words) {
  std::vector<std::string> out(words.rbegin(), words.rend());
  for (std::string& word : out) {
    if (word.rfind("-:", 0) == 0) word = std::string(kStandardInput) + word.substr(1);
  }
  return out;
}

// Usage errors come before the options are known.
bool wants_json_diagnostics(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--diagnostics=json") return true;
    if (words[i] == "--diagnostics" && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

Diagnostic usage_diagnostic(const CLI::App& app, const std::vector<std::string>& words,
                            const std::string& message) {
  Diagnostic out{.code = "TF7001",
                 .message = message,
                 .hint =
                     "`tilefoundry --help` lists the verbs, `tilefoundry VERB --help` their "
                     "options"};
  if (!app.get_subcommands().empty()) return out;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (words.empty()) {
    out.message = "a verb is missing: one of " + join(verbs, ", ");
  } else if (words.front().rfind('-', 0) != 0) {
    const std::string close = closest_match(words.front(), verbs);
    out.message = fmt::format("there is no verb \"{}\"", words.front());
    if (!close.empty()) out.hint = fmt::format("did you mean \"{}\"?", close);
  }
  return out;
}

}  // namespace

int parse_arguments(int argc, char** argv, Options& options, Verb& verb) {
  CLI::App app("TileFoundry: a tile compiler. Checks, prints, lowers, builds and runs programs.");
  app.name("tilefoundry");
  app.set_version_flag("--version", "tilefoundry " + std::string(version()));
  app.require_subcommand(1);
  Raw raw;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto add = [&](const char* name, const char* help, Verb run) -> CLI::App& {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([&verb, run] { verb = run; });
    add_output_form(*sub, options, raw);
    return *sub;
  };

  add_file(add("check", "Check a program", run_check), options);

  CLI::App& print =
      add("print", "Print a program in canonical form, or a later stage of it", run_print);
  add_file(print, options);
  print.add_flag("--types", options.types, "Annotate every value with its type");
  print.add_option("--stage", options.stage, "hir, tir, cpp or asm")
      ->check(CLI::IsMember({"hir", "tir", "cpp", "asm"}));
  add_compilation(print, options, raw);

  CLI::App& lower = add("lower", "Lower a program and print its TIR", run_lower);
  add_file(lower, options);
  add_compilation(lower, options, raw);

  CLI::App& build = add("build", "Build a library", run_build);
  add_file(build, options);
  add_compilation(build, options, raw);
  build
      .add_option("-o,--output", options.output, "Folder for the library, its source and abi.json")
      ->required()
      ->type_name("DIR");

  CLI::App& run = add("run", "Build a program and run it", run_run);
  add_file(run, options);
  add_compilation(run, options, raw);
  add_running(run, options, raw);

  CLI::App& tune =
      add("tune", "Find the fastest block sizes and threads on this machine", run_tune);
  add_file(tune, options);
  add_tuning(tune, options, raw);

  CLI::App& ops = add("ops", "List the ops of the language, or describe one", run_ops);
  ops.add_option("name", options.op, "An op")->type_name("NAME");

  try {
    app.parse(reversed_words(words));
    parse_dims(raw, options);
    parse_ranges(raw, options);
    parse_blocks(raw, options);
  } catch (const CLI::CallForHelp&) {
    verb = nullptr;
    const auto chosen = app.get_subcommands();
    write_out(chosen.empty() ? app.help() : chosen.front()->help());
    return kOk;
  } catch (const CLI::CallForVersion& version_text) {
    verb = nullptr;
    write_out(std::string(version_text.what()) + "\n");
    return kOk;
  } catch (const CLI::ParseError& error) {
    verb = nullptr;
    const Diagnostic diagnostic = usage_diagnostic(app, words, error.what());
    write_err(wants_json_diagnostics(words) ? diagnostics_json({diagnostic}) + "\n"
                                            : render(diagnostic));
    return kUsage;
  }
  options.json_diagnostics = raw.diagnostics == "json";
  return kOk;
}

}  // namespace tilefoundry::cli
