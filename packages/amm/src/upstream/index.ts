export { createTradingClient, type TradingClientOptions } from './create-trading-client.ts'
export { createTradingRoute } from './create-trading-route.ts'
