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
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

/** What some vaults tell beside it: who runs them, and where the shares of an ERC-7575 vault are. */
export const vaultExtrasAbi = parseAbi([
  'struct Strategy { address vault; uint256 targetBps; uint256 assets; }',
  'function share() view returns (address share)',
  'function paused() view returns (bool isPaused)',
  'function manager() view returns (address manager)',
  'function owner() view returns (address owner)',
  'function cap() view returns (uint256 assets)',
  'function strategies() view returns (Strategy[] strategies)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool isSupported)',
])
