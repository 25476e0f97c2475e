export { startRewardsApi } from './rewards/start-rewards-api.ts'
export type { MerklReward, RewardsApi, RewardsApiFault, RewardsApiOptions } from './rewards/start-rewards-api.ts'
