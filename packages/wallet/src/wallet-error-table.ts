/**
 * Every code with its meaning, the fix that holds when the thrower names none, and what its `details` always name: the
 * types of `WalletError` ask whoever throws one for just that.
 */
export const walletErrorTable = {
  // configuration
  VALIDATION_CONFIG_INVALID: row(
    'A field of a configuration or of options is missing, unknown or malformed; the message names it.',
    'Correct the field that the message names; accepted says what it takes.',
    ['fields'],
  ),
  VALIDATION_PRIVATE_KEY_INVALID: row(
    'The private key is not 32 bytes of hex within the range of the curve.',
    'Give 0x and 64 hexadecimal digits; the message says what is wrong with what was given.',
    ['field'],
  ),
  WALLET_ADDRESS_UNKNOWN: row(
    'The address of a managed or remote wallet was asked for before it was read.',
    'Await wallet.getAddress() first, or give the address in the configuration.',
    ['kind'],
  ),
  WALLET_ADDRESS_MISMATCH: row(
    'The backend signs for another address than the configuration names.',
    'Correct walletId or address: both must name the same wallet.',
    ['expected', 'actual'],
  ),
  ABORTED: row(
    'The signal that the caller gave was aborted; nothing was signed from then on.',
    'Call again, with resume where a token is known: what is out already is gone on with.',
  ),
  // key files
  KEYSTORE_INVALID: row(
    'The file is not there, or no keystore of version 3.',
    'Name a Web3 Secret Storage file, version 3.',
    ['path'],
  ),
  KEYSTORE_PASSPHRASE_WRONG: row('The passphrase does not open the keystore.', 'Give the passphrase of this file.', [
    'path',
  ]),
  KEYSTORE_UNSAFE: row('Others than the owner may read the file.', 'Run chmod 600 on the file that details name.', [
    'path',
  ]),
  KEYSTORE_NOT_WRITTEN: row(
    'The keystore was not written: there is a file of this name, or the folder cannot be written.',
    'Name another file, or set the option replace, by which the one there and the key in it are lost.',
    ['path'],
  ),
  // backends that sign
  SIGNER_UNAVAILABLE: row(
    'The backend that signs cannot be reached, or answered nonsense.',
    'Try again later; where it stays, check the URL of the provider or signer and its log.',
  ),
  SIGNER_UNAUTHORIZED: row('The backend does not accept the credentials.', 'Check app id, app secret and auth key.'),
  SIGNER_REFUSED: row(
    'The policy of the backend refuses to sign this.',
    'Change the request, or have the owner of the policy allow it.',
  ),
  SIGNER_RATE_LIMITED: row('The backend asks for fewer requests.', 'Try again after the time that details name.', [
    'retryAfterSeconds',
  ]),
  SIGNING_UNSUPPORTED: row(
    'The backend cannot sign this kind of thing.',
    'Use a wallet of another mode for it: local signs everything that this package knows.',
    ['kind'],
  ),
  SIGNING_INPUT_INVALID: row(
    'What is to be signed is malformed or not complete; nothing was signed. The message says what is wrong.',
    'Correct the transaction, message, typed data or authorization in what the message names.',
    ['what'],
  ),
  // the sender
  REQUEST_CONFLICT: row(
    'The request and step were signed before for another call.',
    'Use a new request id for the other call.',
    ['requestId'],
  ),
  NONCE_CONTENDED: row(
    'Other senders took every nonce that was tried, or the chain counted differently when asked twice.',
    'Wait until the other transactions of the wallet are mined and try again; let one process send for a wallet.',
    ['chainId', 'address'],
  ),
  NONCE_AHEAD_OF_CHAIN: row(
    'The journal holds settled transactions that the chain does not know.',
    'Use an endpoint that is in sync. For a chain that was reset use a fresh journal, or a new wallet object where none is given.',
    ['chainId', 'address'],
  ),
  JOURNAL_CONFLICT: row(
    'The slot or hash is in the journal already.',
    'Read the entry that is there, by the nonce or hash in details.',
    ['chainId', 'from', 'nonce', 'attempt', 'hash'],
  ),
  JOURNAL_ENTRY_UNKNOWN: row(
    'The journal holds no such transaction.',
    'Check the hash, and that this is the journal that the transaction was signed into.',
    ['hash'],
  ),
  JOURNAL_ENTRY_CLOSED: row(
    'The transaction is settled and cannot move.',
    'Read the entry as it stands, by byHash: nothing more is to be done for it.',
    ['hash', 'state'],
  ),
  JOURNAL_LOCKED: row(
    'Another process, or another journal of this one, has the file, or may have it.',
    'End the other process, or give each one a journal of its own; when none lives, remove the lock that details name.',
    ['path', 'lock'],
  ),
  JOURNAL_UNREADABLE: row(
    'The file of the journal is damaged or cannot be written.',
    'Look at the file, and the line of it, that details name; restore a copy, or begin with a new file once nothing of the wallet is out.',
    ['path'],
  ),
  // chains and endpoints
  VALIDATION_CHAIN_NOT_SUPPORTED: row(
    'The chain has no identity registry that this package registers in.',
    'Use one of the chains that details name, or give the address of a registry.',
    ['chainId', 'supported', 'knownRegistry'],
  ),
  RPC_CHAIN_MISMATCH: row(
    'The endpoint serves another chain.',
    'Correct the URL in rpcUrls, or the chainId: details name both chains.',
    ['expected', 'actual', 'host'],
  ),
  RPC_UNAVAILABLE: row(
    'The endpoint of the chain does not answer, or not what it was asked; the message names its host and the reason where they are known, refusal in details what it answered.',
    'Try again, or name another endpoint in rpcUrls.',
    ['host', 'reason'],
  ),
  REGISTRY_NOT_DEPLOYED: row(
    'There is no code at the address of the registry.',
    'Correct registry.identity, or the chain; on a local chain that was restarted deploy the registry again.',
    ['chainId', 'registry', 'knownRegistry'],
  ),
  VALIDATION_REGISTRY_ABI_UNKNOWN: row(
    'The contract at the address takes neither form of registration.',
    'Check registry.identity: the contract there is most likely no identity registry. If it is one, name its form in registry.form: erc8004-v1 or handle-v0.',
    ['chainId', 'registry', 'knownRegistry'],
  ),
  // identities
  VALIDATION_PINNING_JWT_MISSING: row(
    'Mode pinata needs the JWT of your pinning account.',
    'Give the option pinningJwt, or set SVC_PINNING_JWT.',
    ['option', 'variable'],
  ),
  VALIDATION_CARD_INVALID: row(
    'The agent card breaks its schema; details name the fields.',
    'Correct the fields that details name.',
    ['fields'],
  ),
  PIN_FAILED: row('The card could not be pinned.', 'Try again, or register with ipfsMode "inline".', ['status']),
  PIN_CID_MISMATCH: row(
    'The pin service names another CID than its content has.',
    'Do not use this pin service: name another apiUrl or pinningUrl, or register with ipfsMode "inline".',
    ['expected', 'named'],
  ),
  CALL_REVERTS: row(
    'The contract refuses the call; nothing was sent.',
    'Read reason in details. Where it does not help, check that the address called is the contract you mean, and that the wallet may do this there.',
    ['to', 'reason'],
  ),
  REGISTRATION_REVERTED: row(
    'The registration was mined and reverted.',
    'Read reason in details and fix that; then call registerAgent again without resume, which begins anew. Gas was spent, no identity was made.',
    ['chainId', 'registry', 'txHash', 'reason'],
  ),
  UPDATE_REVERTED: row(
    'The update was mined and reverted.',
    'Read reason in details; check that the wallet still owns the agent, or may act for it. Then call updateAgent again: what was mined before stays, and only what differs is sent.',
    ['chainId', 'registry', 'agentId', 'txHash', 'reason'],
  ),
  REGISTRY_CANNOT_UPDATE: row(
    'Registries of this form keep what was registered as it is.',
    'Register anew under another handle, or use a registry of the form erc8004-v1.',
    ['chainId', 'registry', 'agentId', 'form'],
  ),
  AGENT_FILE_NOT_KEPT: row(
    'The current registration file cannot be read, or says what an agent card cannot; an update would lose that.',
    'Name a gateway that gives the file, by the option gatewayUrl or in SVC_GATEWAY_URL (a support API is one for what it pinned), or set replace to write a whole new one.',
    ['fileStatus', 'members'],
  ),
  REGISTRATION_AMBIGUOUS: row(
    'The receipt holds several registrations that could be this one.',
    'Choose among the candidates that details name with linkRegistration or getAgent.',
    ['txHash', 'candidates'],
  ),
  REGISTRATION_NOT_OUT: row('Nothing of the registration is out yet.', 'Resume it with the token of the result.', [
    'chainId',
    'registry',
  ]),
  AGENT_ID_UNKNOWN: row(
    'The wallet owns an agent whose id neither records nor events name.',
    'Register another one with force, or read its id off an explorer.',
    ['chainId', 'registry', 'owner', 'agents'],
  ),
  RESUME_TOKEN_INVALID: row(
    'There is no registration of this token.',
    'Use the token of the pending or deferred result, with the journal and records of that call; or call without resume.',
    ['resumeToken'],
  ),
  AGENT_NOT_FOUND: row(
    'The registry has no agent of this id.',
    'Check the token id, the chain and registry.identity: each is in details. findAgents lists the ids that an address owns.',
    ['agentId', 'chainId', 'registry'],
  ),
  AGENT_NOT_OWNED: row(
    'The wallet neither owns the agent nor may act for it.',
    'Use the wallet that owns the agent, or have the owner approve this one at the registry.',
    ['agentId', 'chainId', 'registry', 'address'],
  ),
  SIGN_IN_CHALLENGE_REFUSED: row(
    'The server asks for a signature that this package does not give: the challenge is for another address, or not one.',
    'Ask the operator of the server for its public URL, and call that; a challenge for another host may be an attack on you.',
    ['member', 'accepted'],
  ),
  SIGN_IN_REFUSED: row(
    'The server took the signed challenge for no sign-in; serverCode in details is its own code.',
    'Read the cause. Check that the wallet owns the agent that agentId names, or is its wallet; then call signIn again.',
    ['status', 'serverCode'],
  ),
  SIGN_IN_UNAVAILABLE: row(
    'The server cannot sign anybody in now.',
    'Check the URL, and call signIn again in a minute.',
    ['status'],
  ),
  // gas
  INSUFFICIENT_FUNDS: row(
    'The wallet cannot pay the gas of the transaction.',
    'Send the amount that details name to the address there, and try again.',
    ['address', 'amountWei', 'amount', 'currency'],
  ),
  GAS_NOT_PAID: row(
    'No gas tier that the options allow pays; nothing is out. The message ends with the last reason, attempts in details has all.',
    'Name a bundler and a paymaster that pay, or add "wallet" to gas.tiers.',
    ['chainId', 'address', 'tiers', 'attempts'],
  ),
  GAS_ABOVE_LIMIT: row(
    'The gas may cost more than one transaction is allowed to; the message names both figures. Nothing was signed.',
    'Compare the price with another endpoint; wait until gas is cheaper, or name a higher maxFeeWei.',
    ['worstWei', 'maxFeeWei', 'currency'],
  ),
  PAYMASTER_REFUSED: row(
    'The paymaster does not pay for this operation, or does not answer: why in details says which.',
    'Pay the gas from the wallet ("wallet" in gas.tiers), or name another paymaster in gas.paymasterUrl; details and cause hold what it said.',
    ['why'],
  ),
  BUNDLER_UNAVAILABLE: row(
    'The bundler does not answer or lost the operation.',
    'Try again, the operation has one effect; or name another bundler in gas.bundlerUrl.',
    ['why'],
  ),
  USER_OPERATION_REVERTED: row(
    'The call inside the operation reverts.',
    'Read reason in details and correct the call; check target, data and what the account holds.',
    ['reason'],
  ),
  DELEGATION_NOT_ALLOWED: row(
    'The code to delegate to is not on the list, or delegation was not agreed to.',
    'Read the code at the implementation, and allow it by gas.allowDelegationTo (allowDelegationTo of sendUserOp); or pay the gas from the wallet, which needs no delegation.',
    ['address', 'implementation'],
  ),
} as const satisfies Record<string, WalletErrorRow>

/** The closed union of codes. */
export type WalletErrorCode = keyof typeof walletErrorTable

/** What a code means, what to do about it, and which members its `details` always have. */
export type WalletErrorRow = {
  readonly meaning: string
  readonly suggestion: string
  readonly details: readonly string[]
}

/** The codes that results carry without anything being thrown, with their meaning and what to do about it. */
export const walletResultTable = {
  REGISTRATION_PENDING: row(
    'The registration is out, and its end is not known yet.',
    'Call registerAgent again with the token as resume.',
  ),
  REGISTRATION_DEFERRED: row(
    'The wallet lacks native currency for the registration; nothing is out.',
    'Send what fund names, and call registerAgent again with the token as resume.',
  ),
  UPDATE_PENDING: row(
    'A transaction of the update is out, and its end is not known yet.',
    'Call updateAgent again with the token as resume.',
  ),
  UPDATE_DEFERRED: row(
    'The wallet lacks native currency for what is left of the update.',
    'Send what fund names, and call updateAgent again with the token as resume.',
  ),
  USER_OPERATION_PENDING: row(
    'The operation is out and not mined yet.',
    'Call sendUserOp again with the operation as resume: the same one is offered and cannot run twice.',
  ),
  IDENTITY_SDK_FAILED: row(
    'In attempts: the identity SDK could not be loaded, or failed before anything was sent.',
    'Nothing; the registry was called directly. The reason says what is wrong with the SDK.',
  ),
  FAUCET_ALREADY_CLAIMED: row(
    'In attempts: the faucet paid this wallet earlier.',
    'Send native currency to the wallet yourself.',
  ),
  FAUCET_FAILED: row(
    'In attempts: the faucet gave nothing; the reason says why, with the code of the faucet where it names one.',
    'Send native currency to the wallet yourself.',
  ),
} as const satisfies Record<string, WalletErrorRow>

/** The closed union of the codes in results. */
export type WalletResultCode = keyof typeof walletResultTable

function row(meaning: string, suggestion: string): WalletErrorRow & { readonly details: readonly [] }
function row<const Names extends readonly string[]>(
  meaning: string,
  suggestion: string,
  details: Names,
): WalletErrorRow & { readonly details: Names }
function row(meaning: string, suggestion: string, details: readonly string[] = []): WalletErrorRow {
  return { meaning, suggestion, details }
}
