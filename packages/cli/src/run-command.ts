import { UsageError } from './usage-error.ts'

/**
 * Finds and runs a command of `svc`; commands are loaded only when they run. Resolves to the exit code: 0 done, 1 the
 * command failed, 2 the words of the call are off.
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(help)
    return 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined
  if (load === undefined) {
    process.stderr.write(`svc: there is no command "${name.slice(0, 40)}"\n\n${help}`)
    return 2
  }
  try {
    return await (
      await load()
    )(rest)
  } catch (error) {
    process.stderr.write(`svc ${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

type Command = (argv: readonly string[]) => Promise<number>

const commands = {
  up: async (): Promise<Command> => (await import('./commands/up.ts')).up,
  serve: async (): Promise<Command> => (await import('./commands/serve.ts')).serve,
  demo: async (): Promise<Command> => (await import('./commands/demo.ts')).demo,
}

const help = `svc: let an agent manage on-chain liquidity without being able to hurt its owner

  svc up [--json] [--mcp-port N] [--rpc-port N] [--chain-id N] [--data-dir D]
      A local chain with the real AMM contracts, a funded wallet and the MCP server, in one process group.
      Port 0 is any free one. --json prints one line when ready. Ctrl-C ends all of it.
  svc serve --transport stdio|http
      The MCP server alone, configured by the environment (docs/config.md).
  svc demo
      A scripted agent adds liquidity, earns fees, collects, swaps and leaves, on its own local chain.
`
