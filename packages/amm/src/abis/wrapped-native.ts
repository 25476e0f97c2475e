import { parseAbi } from 'viem'

/** WETH9 and its equals on other chains, beside what ERC-20 covers. */
export const wrappedNativeAbi = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 amount)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
])
