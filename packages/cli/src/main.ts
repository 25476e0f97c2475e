import { runCommand } from './run-command.ts'

// A command that is done has closed what it opened; an endpoint that does not answer must not hold the process.
process.exit(await runCommand(process.argv.slice(2)))
