import { parseAbi } from 'viem'

/** A vault of shares in one asset (EIP-4626), as far as it is read and called here. */
export const vaultAbi = parseAbi([
  'function asset() view returns (address asset)',
  'function totalAssets() view returns (uint256 assets)',
  'function totalSupply() view returns (uint256 shares)',
  'function balanceOf(address owner) view returns (uint256 shares)',
  'function convertToAssets(uint256 shares) view returns (uint256 assets)',
  'function maxDeposit(address receiver) view returns (uint256 assets)',
  'function maxWithdraw(address owner) view returns (uint256 assets)',
  'function maxRedeem(address owner) view returns (uint256 shares)',
  'function previewDeposit(uint256 assets) view returns (uint256 shares)',
  'function previewRedeem(uint256 shares) view returns (uint256 assets)',
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

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
