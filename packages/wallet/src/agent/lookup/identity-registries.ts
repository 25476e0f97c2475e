import type { Address } from 'viem'

/**
 * Identity registries by chain (ERC-8004, version 2 of its contracts): two constants, one for mainnets and one for
 * testnets, as the registry's own repository lists them. A row says what is deployed; `support` what this package does
 * with it by default.
 */
export const identityRegistries: Readonly<Record<number, RegistryRow>> = Object.freeze({
  1: mainnet('registration'),
  8453: mainnet('primary'),
  137: mainnet('registration'),
  11155111: testnet(),
  84532: testnet(),
  10: mainnet('pending'),
  42161: mainnet('pending'),
  56: mainnet('pending'),
  43114: mainnet('pending'),
  42220: mainnet('pending'),
  81457: undeployed(),
  130: undeployed(),
  324: undeployed(),
})

/** What is known of the identity registry of one chain. */
export type RegistryRow = {
  /** `null` where no registry is known. */
  readonly identity: Address | null
  readonly support: 'primary' | 'registration' | 'testing' | 'pending'
  readonly form: RegistryForm
}

/** `erc8004-v1` is `register(string,(string,bytes)[])`, `handle-v0` is `register(string,string,uint8)`. */
export type RegistryForm = 'erc8004-v1' | 'handle-v0'

function mainnet(support: RegistryRow['support']): RegistryRow {
  return { identity: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432', support, form: 'erc8004-v1' }
}

function testnet(): RegistryRow {
  return { identity: '0x8004A818BFB912233c491871b3d84c89A494BD9e', support: 'testing', form: 'erc8004-v1' }
}

function undeployed(): RegistryRow {
  return { identity: null, support: 'pending', form: 'erc8004-v1' }
}
