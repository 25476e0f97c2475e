export { startTradingApi } from './trading/start-trading-api.ts'
export { type TradingTrick, tradingTricks } from './trading/trading-tricks.ts'
export type {
  TradingApi,
  TradingApiOptions,
  TradingFault,
  TradingOutage,
  TradingRequest,
} from './trading/start-trading-api.ts'
