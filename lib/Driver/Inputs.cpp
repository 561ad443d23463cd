#include "Driver/Inputs.h"

#include "Command/CommandFile.h"
#include "Command/DriverCommand.h"
#include "Driver/GraphInput.h"
#include "Driver/InputFile.h"
#include "Driver/SourceText.h"
#include "orzo/Spec/Canonical.h"

#include <unistd.h>

namespace orzo::driver {

namespace {

/// The jobs of one command: one a direction of its mask, or its help.
void addCommand(const std::string &input, Expected<DriverCommand> command, std::vector<Job> &jobs) {
  if (!command) {
    jobs.push_back(failedJob(input, command.status()));
    return;
  }
  Job job;
  job.input = input;
  job.name = "<command line>";
  job.notes = command->notes;
  if (!command->help.empty()) {
    job.kind = Job::Kind::Help;
    job.source = command->help;
    jobs.push_back(std::move(job));
    return;
  }
  job.written = {command->options.iterations, command->options.verify, command->options.ones,
                 command->options.cacheDirectory};
  for (const DriverProblem &problem : command->problems) {
    job.spec = problem.spec;
    job.direction = problem.label;
    jobs.push_back(job);
  }
}

void addCommandFile(const std::string &path, std::string_view contents, std::vector<Job> &jobs) {
  CommandFileForm form = path.ends_with(".tsv") ? CommandFileForm::Tabs : CommandFileForm::Shell;
  std::vector<FileCommand> commands = parseCommandFile(contents, form);
  if (commands.empty())
    jobs.push_back(failedJob(path, Status::invalidArgument(path + ": no command in it; expected one a line")));
  for (FileCommand &line : commands) {
    size_t first = jobs.size();
    addCommand(line.text, std::move(line.command), jobs);
    std::string where = path + ":" + std::to_string(line.lineNumber);
    for (size_t i = first; i < jobs.size(); ++i) {
      jobs[i].name = where;
      jobs[i].failure = jobs[i].failure.within(where);
    }
  }
}

void addMlir(const std::string &path, std::string contents, std::vector<Job> &jobs) {
  Job job;
  job.kind = Job::Kind::Mlir;
  job.input = path;
  job.name = path == "-" ? "<standard input>" : path;
  Expected<std::string> source = checkSourceText(std::move(contents), job.name);
  if (source)
    job.source = source.take();
  else
    job.failure = source.status();
  jobs.push_back(std::move(job));
}

void addText(const std::string &text, std::vector<Job> &jobs) {
  Expected<ConvSpec> spec = parseConvSpec(text);
  Status status = spec ? validate(*spec) : spec.status();
  if (!status.ok()) {
    jobs.push_back(failedJob(text, status));
    return;
  }
  Job job;
  job.input = text;
  job.name = "<command line>";
  job.direction = name(spec->direction);
  job.spec = spec.take();
  jobs.push_back(std::move(job));
}

enum class FileKind : uint8_t { Commands, Mlir, Artifact, Graph, ByContents };

void addFile(const std::string &path, FileKind kind, std::vector<Job> &jobs) {
  Expected<std::string> contents = readInputFile(path);
  if (!contents) {
    jobs.push_back(failedJob(path, contents.status()));
    return;
  }
  if (kind == FileKind::ByContents)
    kind = isArtifactFile(*contents) ? FileKind::Artifact
           : isGraphText(*contents)  ? FileKind::Graph
           : contents->find("func.func") != std::string::npos || contents->find("util.func") != std::string::npos
               ? FileKind::Mlir
               : FileKind::Commands;
  if (kind == FileKind::Artifact)
    jobs.push_back(artifactJob(path, *contents));
  else if (kind == FileKind::Graph)
    jobs.push_back(graphJob(path, path == "-" ? "<standard input>" : path, *contents));
  else if (kind == FileKind::Mlir)
    addMlir(path, contents.take(), jobs);
  else
    addCommandFile(path == "-" ? "<standard input>" : path, *contents, jobs);
}

void addInput(const std::string &input, std::vector<Job> &jobs) {
  std::string word = input.substr(0, input.find_first_of(" \t\n"));
  if (input == "-")
    return addFile(input, FileKind::ByContents, jobs);
  if (input.ends_with(".txt") || input.ends_with(".tsv"))
    return addFile(input, FileKind::Commands, jobs);
  if (input.ends_with(".mlir"))
    return addFile(input, FileKind::Mlir, jobs);
  if (input.ends_with(".orzo"))
    return addFile(input, FileKind::Artifact, jobs);
  if (input.ends_with(".graph"))
    return addFile(input, FileKind::Graph, jobs);
  if (isGraphText(word) && word.size() < input.size())
    return jobs.push_back(graphJob(input, "<command line>", input));
  if (word == "conv.v1")
    return addText(input, jobs);
  if (beginsDriverCommand(word) || word.size() < input.size())
    return addCommand(input, parseDriverCommand(input), jobs);
  std::string what = access(input.c_str(), F_OK) == 0 ? "' is a file of a kind that its name does not say"
                                                      : "' is no driver command and no file";
  jobs.push_back(failedJob(
      input,
      Status::invalidArgument("input '" + input + what +
                              "; an input is a quoted driver command ('convbfp16 -n 16 ...'), a file ending in "
                              ".txt, .tsv, .mlir, .graph or .orzo, or - for standard input; --commands-file takes a "
                              "file of commands under any name")));
}

std::string joined(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

} // namespace

std::vector<Job> readInputs(const InputWords &words) {
  std::vector<Job> jobs;
  for (const std::string &input : words.inputs)
    addInput(input, jobs);
  for (const std::string &path : words.commandsFiles)
    addFile(path, FileKind::Commands, jobs);
  if (words.hasDriverCommand) {
    if (words.driverCommand.empty())
      jobs.push_back(failedJob("--", Status::invalidArgument("no driver command after --; e.g. -- convbfp16 -n 16 "
                                                             "-c 64 -H 28 -W 28 -k 64 -y 3 -x 3 -p 1 -q 1 -F 1")));
    else
      addCommand(joined(words.driverCommand), parseDriverCommand(words.driverCommand), jobs);
  }
  if (jobs.empty())
    jobs.push_back(
        failedJob("", Status::invalidArgument("no input; give a driver command after --, a quoted one, or "
                                              "a file (.txt, .tsv, .mlir, .graph, .orzo; - is standard input)")));
  return jobs;
}

} // namespace orzo::driver
