import type { Tool } from '../tool.ts'
import { dataTools } from './data-tools.ts'
import { addLiquidity, increaseLiquidity } from './liquidity/add-liquidity.ts'
import { batchLpOperations } from './liquidity/batch-lp-operations.ts'
import { claimLpRewards, collectFees, compoundFees, harvestRewards } from './liquidity/fees-and-rewards.ts'
import { migratePosition, rebalancePosition } from './liquidity/move-position.ts'
import { removeLiquidity } from './liquidity/remove-liquidity.ts'
import { cancelTwammOrder, claimTwammOrder, submitTwammOrder } from './orders/twamm-orders.ts'
import { cancelUniswapxOrder, submitCrossChainIntent, submitUniswapxOrder } from './orders/signed-orders.ts'
import { cancelOperation, executePlan, getOperation, listOperations } from './operations/operations.ts'
import { executeSwap } from './trade/execute-swap.ts'
import { vaultDeposit, vaultRebalance, vaultWithdraw } from './vaults/vault-writes.ts'
import { manageInsight, submitOperatorFeedback, updateMemoryConfidence } from './memory/memory-tools.ts'
import { approveToken } from './wallet/approve-token.ts'
import { provisionWallet } from './wallet/provision-wallet.ts'
import { cancelWatch, listWatches, watchPosition } from './watches/watch-tools.ts'
import { registerAgent } from './wallet/register-agent.ts'

/** Every tool of the server, sorted by name. Adding a tool is one file and its line here, or among the tools of `data`. */
export const catalogue: readonly Tool[] = Object.freeze(
  [
    ...dataTools,
    addLiquidity,
    approveToken,
    batchLpOperations,
    cancelOperation,
    cancelTwammOrder,
    cancelUniswapxOrder,
    cancelWatch,
    claimLpRewards,
    claimTwammOrder,
    collectFees,
    compoundFees,
    executePlan,
    executeSwap,
    getOperation,
    harvestRewards,
    increaseLiquidity,
    listOperations,
    listWatches,
    manageInsight,
    migratePosition,
    provisionWallet,
    rebalancePosition,
    registerAgent,
    removeLiquidity,
    submitCrossChainIntent,
    submitOperatorFeedback,
    submitTwammOrder,
    submitUniswapxOrder,
    updateMemoryConfidence,
    vaultDeposit,
    vaultRebalance,
    vaultWithdraw,
    watchPosition,
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
)
