import { runCommand } from './run-command.ts'

// Whoever read what we print has gone, as in `| head`: a shell says 141 for that (128 and SIGPIPE), and nobody hears more.
// What reads JSON-RPC hangs up in good order (`serve`), and a log nobody reads stops nothing.
process.stdout.on('error', () => {
  if (process.argv[2] !== 'serve') process.exit(141)
})
process.stderr.on('error', () => {})

// A command that is done has closed what it opened; an endpoint that does not answer must not hold the process.
process.exit(await runCommand(process.argv.slice(2)))
