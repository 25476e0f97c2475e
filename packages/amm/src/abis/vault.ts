import { parseAbi } from 'viem'

/**
 * What a wallet calls on a vault that the policy names: shares at a price that the allowance bounds, the way out (EIP-4626), and the
 * spreading of what lies in one over its strategies by its manager, after which so many shares are worth at least so much. `deposit` is not
 * among them: nothing in it says how few shares may come. Nor is `withdraw`: nothing in it says how many go.
 */
export const vaultCallAbi = parseAbi([
  'function mint(uint256 shares, address receiver) returns (uint256 assets)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  'function rebalance(uint256 shares, uint256 leastAssets)',
])
