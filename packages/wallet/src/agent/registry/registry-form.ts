import type { Address, Hex, Log, PublicClient } from 'viem'
import type { RegistryForm } from '../lookup/identity-registries.ts'

/** How one generation of identity registries is spoken to. */
export type RegistrySpeech = {
  readonly form: RegistryForm
  encodeRegister(registration: DirectRegistration): Hex
  /**
   * Token ids that logs show as registered at the registry for the owner: those whose event names the URI, or else all
   * of the owner's. Logs of other contracts in the same receipt do not count, whatever they say.
   */
  registeredIn(logs: readonly Log[], expected: ExpectedRegistration): readonly bigint[]
  /** Throws `AGENT_NOT_FOUND`. */
  readURI(client: PublicClient, registry: Address, tokenId: bigint): Promise<string>
}

export type DirectRegistration = {
  readonly handle: string
  readonly metadataURI: string
  readonly interfaceType: InterfaceType
  /** Besides handle and interface, as on-chain entries where the form has them. */
  readonly metadata: Readonly<Record<string, string>>
}

/** What the agent speaks: the third argument of `register(handle, metadataURI, interfaceType)`. */
export type InterfaceType = 'none' | 'mcp' | 'a2a'

export type ExpectedRegistration = {
  readonly registry: Address
  readonly owner: Address
  readonly agentURI: string
}
