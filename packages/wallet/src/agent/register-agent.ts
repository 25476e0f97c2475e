import type { ServiceWallet } from '../service-wallet.ts'
import type {
  AgentRegistrationByToken,
  AgentRegistrationConfig,
  RegistrationResult,
} from './registration/registration.ts'

/**
 * Registers the wallet as an agent in the ERC-8004 identity registry of a chain, by the first of three tiers that works:
 * the identity SDK with a pinned file, the SDK with the file in the URI itself, the registry's own call. Another tier is
 * tried only while nothing is out; a registration that was interrupted is gone on with, not begun again, unless nothing of it is signed and this call asks for
 * another, or for any by `force`; and a wallet
 * that is registered already gets the identity it has, unless `force` is set; its card stays as it stands, and `warnings`
 * says where this call asks for another.
 *
 * Resolves to what is registered, to `pending` when a transaction is out whose end is not known yet, or to `deferred` when
 * the wallet lacks gas: both name a token to `resume` with. Calls for one wallet that share records, in whatever process,
 * take turns: the second finds what the first registered, or goes on with it. Without `journal` and `records` that holds for
 * calls on one wallet object, as does the token; a restart forgets both, and what is out with them.
 *
 * Throws `WalletError`: `VALIDATION_CONFIG_INVALID` for an option that is not known or not of its type, then
 * `VALIDATION_CHAIN_NOT_SUPPORTED`, both before anybody is asked; `VALIDATION_CARD_INVALID`, also for a wallet that is registered already;
 * `VALIDATION_PINNING_JWT_MISSING` in mode `pinata` (`ipfsMode`, else `SVC_IPFS_MODE`) without `pinningJwt` or `SVC_PINNING_JWT`, likewise; `ABORTED` once `signal` is, also while gas is waited for, unless this call has something out, which is `pending`;
 * `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`, `REGISTRY_NOT_DEPLOYED` and `VALIDATION_REGISTRY_ABI_UNKNOWN` for what is at the endpoint; `RESUME_TOKEN_INVALID`;
 * `AGENT_ID_UNKNOWN`, and `AGENT_NOT_FOUND` for a local chain that was restarted;
 * `CALL_REVERTS` before and `REGISTRATION_REVERTED`, `REGISTRATION_AMBIGUOUS` after a transaction is mined; and what the
 * signer throws. A pin, a paymaster or a faucet that fails is no error: it is in `attempts`, a pin in `warnings` too, and another way is taken.
 */
export async function registerAgent(
  wallet: ServiceWallet,
  options: AgentRegistrationByToken | AgentRegistrationConfig,
): Promise<RegistrationResult> {
  const { runRegistration } = await import('./registration/run-registration.ts')
  return runRegistration(wallet, options)
}
