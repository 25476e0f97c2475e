import { encodeFunctionData, isAddressEqual, parseEventLogs, stringToHex, zeroAddress } from 'viem'
import { identityRegistryAbi as abi } from './identity-registry.ts'
import { readAgent } from './read-agent.ts'
import type { RegistrySpeech } from './registry-form.ts'

/**
 * ERC-8004 as its reference contracts deploy it: `register(string agentURI, (string, bytes)[] metadata)`. Handle,
 * interface and the card's metadata are entries on chain, in UTF-8.
 */
export const erc8004V1: RegistrySpeech = Object.freeze({
  form: 'erc8004-v1',
  encodeRegister({ handle, metadataURI, interfaceType, metadata }) {
    const entries = Object.entries({ handle, interfaceType, ...metadata })
    return encodeFunctionData({
      abi,
      functionName: 'register',
      args: [metadataURI, entries.map(([metadataKey, value]) => ({ metadataKey, metadataValue: stringToHex(value) }))],
    })
  },
  registeredIn(logs, { registry, owner, agentURI }) {
    const own = logs.filter(({ address }) => isAddressEqual(address, registry))
    const registered = parseEventLogs({ abi, eventName: 'Registered', logs: own, strict: true }).filter((log) =>
      isAddressEqual(log.args.owner, owner),
    )
    const named = registered.filter((log) => log.args.agentURI === agentURI)
    if (registered.length > 0) return (named.length > 0 ? named : registered).map((log) => log.args.agentId)
    return parseEventLogs({ abi, eventName: 'Transfer', logs: own, strict: true })
      .filter(({ args }) => isAddressEqual(args.from, zeroAddress) && isAddressEqual(args.to, owner))
      .map(({ args }) => args.tokenId)
  },
  readURI: (client, address, tokenId) =>
    readAgent(tokenId, () => client.readContract({ address, abi, functionName: 'tokenURI', args: [tokenId] })),
})
