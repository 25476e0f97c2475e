import { handlerSet, type HandlerSet, optionsOf, requireOptions } from './handler-set.ts'
import { pinProxyHandlers, type PinProxyHandlers, type PinProxyOptions } from './pin-proxy-handlers.ts'
import { registryHandlers, type RegistryHandlers, type RegistryHandlersOptions } from './registry-handlers.ts'

/**
 * All that the identity SDK asks over HTTP while it registers an agent and loads it again: the chain's endpoint, the pin
 * proxy and the gateways. The first agent is `<chainId>:0`, the next one `<chainId>:1`, and the URI depends on the card.
 */
export function identitySdkHandlers(options: IdentitySdkHandlersOptions): IdentitySdkHandlers {
  const [ofChain, ofPins] = [optionsOf('registryHandlers'), optionsOf('pinProxyHandlers')]
  requireOptions('identitySdkHandlers', options, { chain: ofChain, pinProxy: ofPins })
  const { chain, pinProxy } = options
  const [registry, pins] = [registryHandlers(chain), pinProxyHandlers(pinProxy)]
  return handlerSet([...registry, ...pins], { registry, pins })
}

/** The handlers of {@link identitySdkHandlers}: those of the chain and those of the pin proxy. */
export type IdentitySdkHandlers = HandlerSet<{
  readonly registry: RegistryHandlers
  readonly pins: PinProxyHandlers
}>

/** Of {@link identitySdkHandlers}. */
export type IdentitySdkHandlersOptions = {
  readonly chain: RegistryHandlersOptions
  readonly pinProxy: PinProxyOptions
}
