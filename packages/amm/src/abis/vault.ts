import { parseAbi } from 'viem'

/**
 * What a wallet calls on a vault that the policy names: shares at a price that the allowance bounds, the two ways out (EIP-4626), and the
 * spreading of what lies in one over its strategies by its manager. `deposit` is not among them: nothing in it says how few shares may come.
 */
export const vaultCallAbi = parseAbi([
  'function mint(uint256 shares, address receiver) returns (uint256 assets)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  'function rebalance()',
])
