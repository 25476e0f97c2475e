import type { Liquidity, MarketPorts } from '../ports.ts'

export type HistoryPorts = Pick<MarketPorts, 'rpc' | 'prices'> & { readonly liquidity: Pick<Liquidity, 'swaps'> }
