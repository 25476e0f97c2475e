import type { Memory, OwnedRecord } from '@svc/store'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { openOperations } from '../approvals/open-operations.ts'
import { requireAsking, saysYes, type Terminal } from '../ask-on-terminal.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { printableText } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'
import { runWord } from './word-commands.ts'

/**
 * `svc memory`: what callers had remembered, beside the running server. Resolves to the exit code: 0 done, 1 it could not be done or nobody said
 * yes, 2 the words of the call are off.
 */
export async function memory(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const terminal = { input: process.stdin, output: process.stderr }
  const words = { export: exportAll, forget: (rest: readonly string[]) => forget(rest, { terminal, stopped }) }
  return runWord(argv, words, 'svc memory takes export or forget')
}

/** Prints every record, or those of one caller, oldest first, as one JSON document, a record a line. */
async function exportAll(argv: readonly string[]): Promise<number> {
  const { principal, 'data-dir': dataDir } = parseFlags(argv, { values: ['principal', 'data-dir'] })
  const open = await openOperations(dataDir, process.env)
  try {
    process.stdout.write('{"records":[')
    let before = '\n'
    for await (const record of recordsOf(open.memory, principal ?? null)) {
      process.stdout.write(`${before}${JSON.stringify(record)}`)
      before = ',\n'
    }
    process.stdout.write('\n]}\n')
    return 0
  } finally {
    await open.close()
  }
}

async function* recordsOf(memory: Memory, owner: string | null): AsyncGenerator<object> {
  let after: bigint | null = null
  do {
    const page: Awaited<ReturnType<Memory['page']>> = await memory.page({ owner, after })
    for (const record of page.records) yield shown(record)
    after = page.next
  } while (after !== null)
}

function shown({ owner, content, createdAt, updatedAt, ...rest }: OwnedRecord): object {
  const times = { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() }
  return { principal: owner, ...rest, ...times, content: JSON.parse(content) as unknown }
}

type Asking = { readonly terminal: Terminal; readonly stopped: Promise<StopCause> }

/** Forgets all of one caller, or of everybody, after a yes. */
async function forget(argv: readonly string[], { terminal, stopped }: Asking): Promise<number> {
  const flags = parseFlags(argv, { values: ['principal', 'data-dir'], switches: ['all', 'yes', 'json'] })
  const { principal, all, yes, json } = flags
  if ((principal === undefined) !== all)
    throw new UsageError('svc memory forget takes --principal ID or --all; svc memory export shows whose there is')
  requireAsking({ yes, json }, terminal)
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const records = await open.memory.count(principal ?? null)
    const whose = principal === undefined ? 'everybody' : printableText(principal.slice(0, 128))
    const question = `Forget ${records} records of ${whose}, for good?`
    // With --json alone it looks, and writes nothing.
    const isMeant = yes || (!json && records > 0 && (await saysYes(question, terminal, stopped)))
    const forgotten = isMeant ? await open.memory.forget(principal ?? null) : 0
    if (json) process.stdout.write(`${JSON.stringify({ records, forgotten })}\n`)
    else process.stdout.write(forgottenText({ records, forgotten, whose }))
    return isMeant || json || records === 0 ? 0 : 1
  } finally {
    await open.close()
  }
}

function forgottenText({ records, forgotten, whose }: { records: number; forgotten: number; whose: string }): string {
  if (records === 0) return `Nothing of ${whose} is remembered.\n`
  return forgotten === 0 ? 'Nothing was forgotten.\n' : `Forgot ${forgotten} records of ${whose}.\n`
}
