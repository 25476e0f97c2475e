import type { PublicClient } from 'viem'
import { ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `svc audit replay --day D`: plays what was simulated before each signature of a day (UTC) again and compares. Exit code
 * 1 when something differs from what is on record; or when there was something to play and none of it could be.
 */
export async function replay(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['day', 'rpc-url', 'data-dir'], switches: ['json'] })
  const { day = '' } = flags
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new UsageError('svc audit replay takes --day YYYY-MM-DD, a day in UTC')
  }
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { replayAuditDay } = await import('@svc/tool-server/operator')
  const client = await clients(flags['rpc-url'], dataDir)
  const counts = { agrees: 0, differs: 0, 'not-replayed': 0 }
  for await (const replayed of replayAuditDay({ dataDir, day, client, now: Date.now })) {
    counts[replayed.status] += 1
    if (flags.json) {
      process.stdout.write(`${JSON.stringify(replayed)}\n`)
      continue
    }
    const head = `${replayed.ts}  ${replayed.tool}: ${replayed.step}, chain ${replayed.chainId}`
    process.stdout.write(`${head}  ${said(replayed)}\n`)
  }
  if (!flags.json) {
    process.stdout.write(
      `${counts.agrees} agree with the record, ${counts.differs} differ, ${counts['not-replayed']} could not be replayed.\n`,
    )
  }
  return counts.differs > 0 || (counts.agrees === 0 && counts['not-replayed'] > 0) ? 1 : 0
}

type Outcome =
  | { readonly status: 'agrees'; readonly block: string }
  | {
      readonly status: 'differs'
      readonly block: string
      readonly tokens: readonly { readonly token: string; readonly recorded: string; readonly now: string }[]
    }
  | { readonly status: 'not-replayed'; readonly why: string }

function said(outcome: Outcome): string {
  if (outcome.status === 'agrees') return `agrees at block ${outcome.block}`
  if (outcome.status === 'not-replayed') return `not replayed: ${outcome.why}`
  const tokens = outcome.tokens.map(({ token, recorded, now }) => `${token} ${recorded} on record, ${now} now`)
  return `DIFFERS at block ${outcome.block}: ${tokens.join('; ')}`
}

/** The endpoint named, for its own chain; else those the server's settings name, one per chain. */
async function clients(rpcUrl: string | undefined, dataDir: string): Promise<(chainId: number) => PublicClient | null> {
  const { createPublicClient, http } = await import('viem')
  const open = (url: string) => createPublicClient({ transport: http(url) })
  if (rpcUrl !== undefined) {
    const client = open(rpcUrl)
    const served = await client.getChainId().catch((cause: unknown) => {
      throw new Error('The endpoint of --rpc-url does not answer.', { cause })
    })
    return (chainId) => (chainId === served ? client : null)
  }
  const { readConfig, rpcUrls } = await import('@svc/tool-server')
  const config = readConfig({ ...process.env, SVC_DATA_DIR: dataDir })
  return (chainId) => {
    const chain = config.chains.find(({ id }) => id === chainId)
    const [url] = chain === undefined ? [] : rpcUrls(config.rpc, chain)
    return url === undefined ? null : open(url)
  }
}
