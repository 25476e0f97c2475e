import type { HistoryRequest } from '../../ports.ts'

/**
 * Which subgraphs were found untrue of which pools, by what the chain says, so that chance, which picks what is held against it, has
 * to find a falsehood once alone. A verdict is kept for `rememberMs`, six hours unless given, the last thousand of them.
 *
 * @param now Unix milliseconds
 */
export function createVerdicts(now: () => number, rememberMs = 6 * 3_600_000): Verdicts {
  const verdicts = new Map<string, { readonly problem: string; readonly at: number }>()
  return {
    of(asked) {
      const verdict = verdicts.get(nameOf(asked))
      if (verdict === undefined || now() >= verdict.at + rememberMs) return null
      const [at, until] = [verdict.at, verdict.at + rememberMs].map((time) => new Date(time).toISOString())
      return { problem: `was refused at ${at} and is passed over until ${until}, as it ${verdict.problem}` }
    },
    keep(asked, problem) {
      verdicts.delete(nameOf(asked))
      verdicts.set(nameOf(asked), { problem, at: now() })
      const [oldest] = verdicts.keys()
      if (oldest !== undefined && verdicts.size > mostVerdicts) verdicts.delete(oldest)
    },
  }
}

export type Verdicts = {
  /** What is still held against the subgraph of a pool, as a clause that follows "The subgraph". */
  of(asked: Asked): { readonly problem: string } | null
  keep(asked: Asked, problem: string): void
}

type Asked = Pick<HistoryRequest, 'chain' | 'pool'>

function nameOf({ chain, pool }: Asked): string {
  return [chain.id, chain.subgraphs?.[pool.version], pool.id.toLowerCase()].join()
}

const mostVerdicts = 1_000
