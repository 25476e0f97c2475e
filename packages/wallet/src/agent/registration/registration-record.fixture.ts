import type { RegistrationRecord } from './registration-records.ts'

export const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** A record that nothing was sent for yet, under this token. */
export function sample(token: string): RegistrationRecord {
  return {
    token,
    chainId: 1,
    registry: address,
    owner: address,
    state: 'prepared',
    method: 'direct-contract',
    agentURI: 'data:,',
    data: '0x',
    txHash: null,
    userOperation: null,
    userOperationHash: null,
    tokenId: null,
    updatedAt: 1,
  }
}
