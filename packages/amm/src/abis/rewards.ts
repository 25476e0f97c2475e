import { parseAbi } from 'viem'

/** Of Merkl's distributor, what is read of it, the one function by which rewards are claimed, and what it logs then. */
export const rewardDistributorAbi = parseAbi([
  'function getMerkleRoot() view returns (bytes32)',
  'function claimed(address user, address token) view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot)',
  'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
  'event Claimed(address indexed user, address indexed token, uint256 amount)',
])
