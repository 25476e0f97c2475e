import { pbkdf2Sync } from 'node:crypto'
import { bytesToHex, type Address, type Hex } from 'viem'
import { HDKey, privateKeyToAddress } from 'viem/accounts'

/** Anvil's well-known test mnemonic. Its keys are public: nothing of value may ever be held by them. */
export const devMnemonic = 'test test test test test test test test test test test junk'

/** Accounts for whoever uses the chain, followed by those that seed it and trade on it. The node can sign for all. */
export const testAccountCount = 10

/** Who does what on the chain, by address. */
export type Roles = {
  /** Deploys everything, runs the arbitrage, and posts to the price feeds. */
  readonly deployer: Address
  /** Mints tokens and gives out funds. */
  readonly bank: Address
  readonly providers: readonly Address[]
  readonly traders: readonly Address[]
}

export const accountCount = testAccountCount + 2 + 4 + 4

/** Those who sponsor user operations. They sign for themselves: the node does not know their keys. */
export type Sponsors = {
  /** Signs what the paymaster pays for; holds nothing. */
  readonly paymasterSigner: DevAccount
  /** Sends a bundler's transactions. */
  readonly executor: DevAccount
  /** What a bundler keeps for its own housekeeping. */
  readonly utility: DevAccount
}

export type DevAccount = { readonly address: Address; readonly privateKey: Hex }

/** The accounts of the mnemonic at m/44'/60'/0'/0/i (BIP-39, BIP-32, BIP-44). */
export function deriveAccounts(): {
  readonly testAccounts: readonly DevAccount[]
  readonly roles: Roles
  readonly sponsors: Sponsors
} {
  const seed = pbkdf2Sync(devMnemonic, 'mnemonic', 2048, 64, 'sha512')
  const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0")
  const account = (index: number): DevAccount => {
    const key = parent.deriveChild(index).privateKey
    if (!key) throw new Error(`No key at index ${index}`)
    const privateKey = bytesToHex(key)
    return { privateKey, address: privateKeyToAddress(privateKey) }
  }
  const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => account(from + i))
  const address = (index: number) => account(testAccountCount + index).address
  return {
    testAccounts: range(0, testAccountCount),
    roles: {
      deployer: address(0),
      bank: address(1),
      providers: range(testAccountCount + 2, 4).map((each) => each.address),
      traders: range(testAccountCount + 6, 4).map((each) => each.address),
    },
    sponsors: {
      paymasterSigner: account(accountCount),
      executor: account(accountCount + 1),
      utility: account(accountCount + 2),
    },
  }
}
