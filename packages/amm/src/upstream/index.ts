export { createTradingClient, type TradingClient, type TradingClientOptions } from './create-trading-client.ts'
export { createTradingRoute, type TradingRoutePorts } from './create-trading-route.ts'
export { upstreamRefusal } from './trading-error.ts'
