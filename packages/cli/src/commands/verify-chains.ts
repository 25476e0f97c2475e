import { findChain } from '@svc/wallet/core'
import { isOwnChain } from '@svc/amm/chains'
import { chainAccess } from '@svc/tool-server'
import { parseFlags } from '../parse-words-and-flags.ts'
import { readServerSettings } from '../server-settings.ts'
import { table } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'
import { type ChainReport, verifyChain } from '../verify-chains/verify-chain.ts'

/**
 * `svc verify-chains`: for an operator, what the endpoints of the settings and the rows of the chains are good for, before an agent finds
 * out. Reads alone. Resolves to exit code 0 where every contract of each chain answers as it should, else 1.
 */
export async function verifyChains(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'chain'], switches: ['json'] })
  const { config } = await readServerSettings(flags['data-dir'], process.env)
  const { chains, rpcUrls } = chainAccess(config)
  const named = flags.chain === undefined ? null : findChain(chains, flags.chain)
  if (named === undefined) {
    throw new UsageError(`--chain: accepted: ${chains.map(({ name }) => name).join(', ')}, or an id of one`)
  }
  const wanted = named === null ? chains.filter((chain) => !chain.testnet || isOwnChain(chain)) : [named]
  const options = { fetch, now: Date.now, hasSubgraphKey: config.upstream.subgraphApiKey !== null }
  let done = 0
  const say = (line: string) => void (flags.json || process.stderr.write(`${line}\n`))
  say(`Asking the endpoints of ${wanted.length === 1 ? wanted[0]?.name : `${wanted.length} chains`}. Nothing is sent.`)
  const reports = await Promise.all(
    wanted.map(async (chain) => {
      const report = await verifyChain(chain, rpcUrls(chain), options)
      done += 1
      say(`[${done}/${wanted.length}] ${chain.name}: ${report.ok ? 'as it should be' : (report.problems[0] ?? '')}`)
      return report
    }),
  )
  const ok = reports.every((report) => report.ok)
  process.stdout.write(flags.json ? `${JSON.stringify({ ok, chains: reports })}\n` : textOf(reports))
  return ok ? 0 : 1
}

function textOf(reports: readonly ChainReport[]): string {
  const rows = reports.map(({ chain, endpoints, contracts, feeds, ok }) => {
    const right = contracts.filter(({ problem }) => problem === null).length
    const fresh = feeds.filter(({ usd, isLate }) => usd !== null && !isLate).length
    const usable = endpoints.filter(({ problem }) => problem === null)
    return [
      `${chain.name} (${chain.id})`,
      `${usable.length}/${endpoints.length}`,
      `${right}/${contracts.length}`,
      `${fresh}/${feeds.length}`,
      daysOf(Math.max(0, ...usable.map(({ stateDays }) => stateDays))),
      ok ? 'ok' : 'see below',
    ]
  })
  const head = ['CHAIN', 'ENDPOINTS', 'CONTRACTS', 'FEEDS', 'OLD STATE', '']
  return [table([head, ...rows], { alignRight: [1, 2, 3, 4] }), ...reports.map(chainText)].join('\n')
}

function chainText({ chain, endpoints, feeds, problems, tools }: ChainReport): string {
  const ofEndpoints = endpoints.map(({ endpoint, head, headAgeSeconds, lagBlocks, latencyMs, ...can }) => {
    const problem = can.problem ?? 'ok'
    if (head === null) return [endpoint, '', '', `${latencyMs} ms`, '', '', '', '', problem]
    const reach = [daysOf(can.stateDays), daysOf(can.logDays), `${can.logRangeBlocks}`, `${can.batchSize}`]
    return [endpoint, `${headAgeSeconds} s`, `${lagBlocks}`, `${latencyMs} ms`, ...reach, problem]
  })
  const head = ['ENDPOINT', 'HEAD AGE', 'BEHIND', 'ANSWERS IN', 'STATE', 'LOGS', 'LOG RANGE', 'BATCH', '']
  const late = feeds.filter(({ isLate }) => isLate)
  return [
    `${chain.name} (${chain.id})`,
    indented(table([head, ...ofEndpoints], { alignRight: [1, 2, 3, 4, 5, 6, 7] })),
    ...problems.map((problem) => `  WRONG: ${problem}`),
    ...late.map(({ contract, ageSeconds }) => `  LATE: ${contract} answered ${ageSeconds} s ago.`),
    indented(
      table(
        tools.map(({ tool, can, why }) => [can.padEnd(7), tool, why]),
        { alignRight: [] },
      ),
    ),
  ].join('\n')
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}

function daysOf(days: number): string {
  return days === 0 ? 'none' : `${days} d`
}
