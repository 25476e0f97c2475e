import type { PublicClient } from 'viem'
import { ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { requireLog } from './require-log.ts'

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
  const { replayAuditDay } = await import('@svc/engine/switches')
  await requireLog(dataDir)
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
  const all = counts.agrees + counts.differs + counts['not-replayed']
  if (!flags.json && all === 0) process.stdout.write(`Nothing on record was signed on ${day} (UTC).\n`)
  else if (!flags.json) {
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
  if (outcome.tokens.length === 0) return 'DIFFERS: the simulation on record is not the one that was signed on'
  const tokens = outcome.tokens.map(({ token, recorded, now }) => `${token} ${recorded} on record, ${now} now`)
  return `DIFFERS at block ${outcome.block}: ${tokens.join('; ')}`
}

/**
 * The endpoint named, for its own chain; else those the server's settings name, one per chain, the chain of a local world
 * in its directory included. Throws where the one that was named or that belongs to a local world does not answer.
 */
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
  const { rpcUrls } = await import('@svc/tool-server')
  const { readServerSettings } = await import('../server-settings.ts')
  const { config, worldChains } = await readServerSettings(dataDir, process.env)
  const urlOf = (chainId: number): string | undefined => {
    const chain = config.chains.find(({ id }) => id === chainId)
    return chain === undefined ? undefined : rpcUrls(config.rpc, chain)[0]
  }
  for (const id of worldChains?.ids ?? []) {
    const url = urlOf(id) ?? ''
    const served = await open(url)
      .getChainId()
      .catch(() => null)
    if (served !== id) throw new Error(worldGone(dataDir, url))
    process.stderr.write(`Local world: chain ${id} at ${url}, from ${worldChains?.path}.\n`)
  }
  return (chainId) => {
    const url = urlOf(chainId)
    return url === undefined ? null : open(url)
  }
}

function worldGone(dataDir: string, url: string): string {
  return (
    `The chain of the local world in ${dataDir} does not answer at ${url}: it ends with its svc up. Name an endpoint that ` +
    'knows the blocks of that day with --rpc-url URL.'
  )
}
