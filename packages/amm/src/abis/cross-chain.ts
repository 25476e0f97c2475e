import { parseAbi } from 'viem'

/** What settlers of both chains are asked and what they say. */
export const settlerAbi = parseAbi([
  'struct OnchainCrossChainOrder { uint32 fillDeadline; bytes32 orderDataType; bytes orderData; }',
  'struct Output { bytes32 token; uint256 amount; bytes32 recipient; uint256 chainId; }',
  'struct FillInstruction { uint256 destinationChainId; bytes32 destinationSettler; bytes originData; }',
  'struct ResolvedCrossChainOrder { address user; uint256 originChainId; uint32 openDeadline; uint32 fillDeadline; bytes32 orderId; Output[] maxSpent; Output[] minReceived; FillInstruction[] fillInstructions; }',
  'function open(OnchainCrossChainOrder order)',
  'function resolve(OnchainCrossChainOrder order) view returns (ResolvedCrossChainOrder)',
  'function fillStatuses(bytes32 orderId) view returns (uint256)',
  'event Open(bytes32 indexed orderId, ResolvedCrossChainOrder resolvedOrder)',
  'event Filled(bytes32 indexed orderId, address indexed filler, bytes32 indexed recipient, bytes32 token, uint256 amount)',
])

/** The one function that is called in a transaction. */
export const settlerCallAbi = parseAbi([
  'struct OnchainCrossChainOrder { uint32 fillDeadline; bytes32 orderDataType; bytes orderData; }',
  'function open(OnchainCrossChainOrder order)',
])
