import type { Tool } from '../tool.ts'
import { dataTools } from './data-tools.ts'
import { addLiquidity } from './liquidity/add-liquidity.ts'
import { batchLpOperations } from './liquidity/batch-lp-operations.ts'
import { claimLpRewards } from './liquidity/claim-lp-rewards.ts'
import { collectFees } from './liquidity/collect-fees.ts'
import { compoundFees } from './liquidity/compound-fees.ts'
import { harvestRewards } from './liquidity/harvest-rewards.ts'
import { increaseLiquidity } from './liquidity/increase-liquidity.ts'
import { migratePosition } from './liquidity/migrate-position.ts'
import { rebalancePosition } from './liquidity/rebalance-position.ts'
import { removeLiquidity } from './liquidity/remove-liquidity.ts'
import { cancelTwammOrder } from './orders/cancel-twamm-order.ts'
import { claimTwammOrder } from './orders/claim-twamm-order.ts'
import { cancelUniswapxOrder } from './orders/cancel-uniswapx-order.ts'
import { submitTwammOrder } from './orders/submit-twamm-order.ts'
import { submitCrossChainIntent } from './orders/submit-cross-chain-intent.ts'
import { submitUniswapxOrder } from './orders/submit-uniswapx-order.ts'
import { cancelOperation } from './operations/cancel-operation.ts'
import { executePlan } from './operations/execute-plan.ts'
import { getOperation } from './operations/get-operation.ts'
import { listOperations } from './operations/list-operations.ts'
import { executeSwap } from './trade/execute-swap.ts'
import { vaultDeposit } from './vaults/vault-deposit.ts'
import { vaultRebalance } from './vaults/vault-rebalance.ts'
import { vaultWithdraw } from './vaults/vault-withdraw.ts'
import { manageInsight } from './memory/manage-insight.ts'
import { submitOperatorFeedback } from './memory/submit-operator-feedback.ts'
import { updateMemoryConfidence } from './memory/update-memory-confidence.ts'
import { approveToken } from './wallet/approve-token.ts'
import { provisionWallet } from './wallet/provision-wallet.ts'
import { cancelWatch } from './watches/cancel-watch.ts'
import { listWatches } from './watches/list-watches.ts'
import { watchPosition } from './watches/watch-position.ts'
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
