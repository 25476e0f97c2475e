export { createRewards, type RewardsOptions } from './create-rewards.ts'
