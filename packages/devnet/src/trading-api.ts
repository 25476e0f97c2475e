export { startTradingApi, tradingTricks } from './trading/start-trading-api.ts'
export type {
  TradingApi,
  TradingApiOptions,
  TradingFault,
  TradingOutage,
  TradingRequest,
  TradingTrick,
} from './trading/start-trading-api.ts'
