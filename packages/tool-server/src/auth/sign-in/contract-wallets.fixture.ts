import {
  type Address,
  concatHex,
  createTestClient,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  numberToHex,
  pad,
  size,
} from 'viem'

/** Puts code at an address of a local chain. */
export async function setCode(rpcUrl: string, address: Address, bytecode: Hex): Promise<void> {
  await createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).setCode({ address, bytecode })
}

/**
 * A wallet whose owner signs for it (ERC-1271), by hand: it recovers the signer of the hash by the precompile at 1, and answers with the
 * magic value times whether that is the owner.
 */
export function ownedWallet(owner: Address): Hex {
  return concatHex([
    '0x600435600052', // the hash
    '0x60a43560f81c602052', // v
    '0x606435604052', // r
    '0x608435606052', // s
    '0x602060006080600060015afa50', // ecrecover
    '0x60005173',
    owner,
    '0x14', // is it the owner?
    concatHex(['0x7f', magic]),
    '0x0260005260206000f3',
  ])
}

/** What ERC-1271 wants to hear. */
const magic = pad('0x1626ba7e', { dir: 'right', size: 32 })

/** Contracts that answer for no signature, each in its way. */
export const hostileWallets: Readonly<Record<string, Hex>> = {
  'loops for ever': '0x5b600056',
  'burns all of its gas': '0xfe',
  'calls itself without end': '0x600060006000600060003060fa5af15060006000fd',
  'answers with a megabyte': '0x620fffff6000f3',
  'reverts with a megabyte': '0x620fffff6000fd',
  'answers with nothing': '0x00',
  'answers with the magic value of others': concatHex([
    '0x7f',
    pad('0x20c13b0b', { dir: 'right', size: 32 }),
    '0x60005260206000f3',
  ]),
  'answers with the magic value at the wrong end': '0x631626ba7e60005260206000f3',
  'answers with true': '0x600160005260206000f3',
}

/** The proxy through which anybody deploys at addresses that are known beforehand (CREATE2), at the place where chains have it. */
export const deployer = {
  address: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
} as const

/** A wallet of an owner that is not deployed yet, and how a signature brings it along (ERC-6492). */
export function walletToCome(owner: Address): { readonly address: Address; wrap(signature: Hex): Hex } {
  const code = ownedWallet(owner)
  const initCode = concatHex(['0x60', numberToHex(size(code), { size: 1 }), '0x80600b6000396000f3', code])
  const salt = keccak256(owner)
  const address = getContractAddress({ opcode: 'CREATE2', from: deployer.address, salt, bytecode: initCode })
  const form = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
  return {
    address,
    wrap: (signature) =>
      concatHex([encodeAbiParameters(form, [deployer.address, concatHex([salt, initCode]), signature]), suffix]),
  }
}

const suffix = `0x${'6492'.repeat(16)}` as const
