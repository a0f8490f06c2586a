import { BackupError } from './backup/backup-error.ts';
import { commandLine, resolveArgument } from './platform/command-line.ts';

type Command = 'backup' | 'restore' | 'verify';

const wrongArguments = (command: Command, count: string): BackupError =>
  new BackupError(`Specify ${count}: ${commandLine(command, 'penstock.tar')}`);

const readArgument = (command: Command, count: string): string | undefined => {
  const [file, ...more] = process.argv.slice(3);
  if (file?.startsWith('-') === true || more.length > 0) throw wrongArguments(command, count);
  return file === undefined ? undefined : resolveArgument(file);
};

/** The path of the archive that a command may name; undefined: none. @throws BackupError for options and further files */
export const findArchiveArgument = (command: Command): string | undefined =>
  readArgument(command, 'at most one file');

/** The path of the archive that a command must name. @throws BackupError */
export const getArchiveArgument = (command: Command): string => {
  const archive = readArgument(command, 'one file');
  if (archive === undefined) throw wrongArguments(command, 'one file');
  return archive;
};
