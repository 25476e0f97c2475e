export {
  createTradingClient,
  type TradingClient,
  type TradingClientOptions,
  type TradingRoutePorts,
} from './create-trading-client.ts'
export { createTradingRoute } from './create-trading-route.ts'
export { routeLiquidity } from './route-liquidity.ts'
export { mostRoundedOff } from './swap-route.ts'
export { upstreamRefusal } from './trading-error.ts'
