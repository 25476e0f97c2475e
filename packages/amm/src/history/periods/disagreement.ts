import { SubgraphError } from '../../subgraph/subgraph-error.ts'

/** That a subgraph tells a period (its begin in Unix seconds) otherwise than the pool logged it. */
export function disagreement(startsAt: number, barSeconds: number): SubgraphError {
  const time = new Date(startsAt * 1_000).toISOString()
  const period = barSeconds === 3_600 ? 'hour' : 'day'
  return new SubgraphError('untrue', `tells another ${period} from ${time} on than the pool logged`)
}
