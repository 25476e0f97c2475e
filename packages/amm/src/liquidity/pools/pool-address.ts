import { concat, getAddress, getCreate2Address, keccak256, pad, slice, toHex, type Address, type Hex } from 'viem'

/**
 * Where a factory creates a contract without constructor arguments (EIP-1014). A code hash that begins with 0x0100 is one of
 * the ZK Stack's versioned bytecode hashes, and its formula applies (ZKsync ContractDeployer, getNewAddressCreate2).
 */
export function create2Address(factory: Address, salt: Hex, codeHash: Hex): Address {
  if (!codeHash.startsWith('0x0100')) return getCreate2Address({ from: factory, salt, bytecodeHash: codeHash })
  const hash = keccak256(concat([zkPrefix, pad(factory), salt, codeHash, keccak256('0x')]))
  return getAddress(slice(hash, 12))
}

const zkPrefix = keccak256(toHex('zksyncCreate2'))
