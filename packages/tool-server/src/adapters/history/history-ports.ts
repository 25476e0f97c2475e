import type { Liquidity, Ports } from '../../ports.ts'

export type HistoryPorts = Pick<Ports, 'rpc' | 'prices'> & { readonly liquidity: Pick<Liquidity, 'swaps'> }
