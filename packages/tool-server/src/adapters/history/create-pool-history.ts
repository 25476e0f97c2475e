import type { PoolHistory, Ports } from '../../ports.ts'
import { readRpcHistory } from './read-rpc-history.ts'

/** The past of pools, out of what their contracts logged. */
export function createPoolHistory(ports: Pick<Ports, 'liquidity' | 'prices'>): PoolHistory {
  return { read: (request) => readRpcHistory(ports, request) }
}
