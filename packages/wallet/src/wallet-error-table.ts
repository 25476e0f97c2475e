/** Every code with its meaning and the fix that holds when the thrower names none. */
export const walletErrorTable = {
  // configuration
  VALIDATION_CONFIG_INVALID: row(
    'A field of a configuration or of options is missing, unknown or malformed; the message names it.',
    'Correct the field that the message names.',
  ),
  VALIDATION_PRIVATE_KEY_INVALID: row(
    'The private key is not 32 bytes of hex within the range of the curve.',
    'Give 0x and 64 hexadecimal digits; the message says what is wrong with what was given.',
  ),
  WALLET_ADDRESS_UNKNOWN: row(
    'The address of a managed or remote wallet was asked for before it was read.',
    'Await wallet.getAddress() first, or give the address in the configuration.',
  ),
  WALLET_ADDRESS_MISMATCH: row(
    'The backend signs for another address than the configuration names.',
    'Correct walletId or address: both must name the same wallet.',
  ),
  ABORTED: row(
    'The signal that the caller gave was aborted; nothing was signed from then on.',
    'Call again; what is out already is gone on with.',
  ),
  // key files
  KEYSTORE_INVALID: row('The file is no keystore of version 3.', 'Name a Web3 Secret Storage file, version 3.'),
  KEYSTORE_PASSPHRASE_WRONG: row('The passphrase does not open the keystore.', 'Give the passphrase of this file.'),
  KEYSTORE_UNSAFE: row('Others than the owner may read the file.', 'Run chmod 600 on the file.'),
  KEYSTORE_NOT_WRITTEN: row(
    'The keystore was not written: there is a file of this name, or the folder cannot be written.',
    'Name another file, or say that the one there may be replaced.',
  ),
  // backends that sign
  SIGNER_UNAVAILABLE: row('The backend that signs cannot be reached, or answered nonsense.', 'Try again later.'),
  SIGNER_UNAUTHORIZED: row('The backend does not accept the credentials.', 'Check app id, app secret and auth key.'),
  SIGNER_REFUSED: row(
    'The policy of the backend refuses to sign this.',
    'Change the request, or have the owner of the policy allow it.',
  ),
  SIGNER_RATE_LIMITED: row('The backend asks for fewer requests.', 'Try again after the time that details name.'),
  SIGNING_UNSUPPORTED: row('The backend cannot sign this kind of thing.', 'Use a wallet of another mode for it.'),
  SIGNING_INPUT_INVALID: row(
    'What is to be signed is malformed; nothing was signed. The cause says where.',
    'Correct the transaction, message, typed data or authorization.',
  ),
  // the sender
  REQUEST_CONFLICT: row('The request and step were signed before for another call.', 'Use a new request id.'),
  NONCE_CONTENDED: row(
    'Other senders took every nonce that was tried, or the chain counted differently when asked twice.',
    'Try again.',
  ),
  NONCE_AHEAD_OF_CHAIN: row(
    'The journal holds settled transactions that the chain does not know.',
    'Use an endpoint that is in sync. For a chain that was reset use a fresh journal, or a new wallet object where none is given.',
  ),
  JOURNAL_CONFLICT: row('The slot or hash is in the journal already.', 'Read the entry that is there.'),
  JOURNAL_ENTRY_UNKNOWN: row('The journal holds no such transaction.', 'Check the hash.'),
  JOURNAL_ENTRY_CLOSED: row('The transaction is settled and cannot move.', 'Read the entry as it stands.'),
  JOURNAL_LOCKED: row(
    'Another process has the file of the journal, or may have it.',
    'End the other process, or give each one a journal of its own; when none lives, remove the lock that details name.',
  ),
  JOURNAL_UNREADABLE: row(
    'The file of the journal is damaged or cannot be written.',
    'See the line that details name.',
  ),
  // chains and endpoints
  VALIDATION_CHAIN_NOT_SUPPORTED: row(
    'The chain has no identity registry that this package registers in.',
    'Use one of the chains that details name, or give the address of a registry.',
  ),
  RPC_CHAIN_MISMATCH: row('The endpoint serves another chain.', 'Correct the URL of the chain in rpcUrls.'),
  RPC_UNAVAILABLE: row(
    'The endpoint of the chain does not answer, or not what it was asked; the message names its host and the reason where they are known.',
    'Try again, or name another endpoint in rpcUrls.',
  ),
  REGISTRY_NOT_DEPLOYED: row(
    'There is no code at the address of the registry.',
    'Correct the registry address; on a local chain that was restarted deploy the registry again.',
  ),
  VALIDATION_REGISTRY_ABI_UNKNOWN: row(
    'The contract at the address takes neither form of registration.',
    'Name the form in the registry option: erc8004-v1 or handle-v0.',
  ),
  // identities
  VALIDATION_PINNING_JWT_MISSING: row(
    'Mode pinata needs the JWT of your pinning account.',
    'Give the option pinningJwt, or set SVC_PINNING_JWT.',
  ),
  VALIDATION_CARD_INVALID: row('The agent card breaks its schema; details name the fields.', 'Correct the fields.'),
  PIN_FAILED: row('The card could not be pinned.', 'Try again, or register with ipfsMode "inline".'),
  PIN_CID_MISMATCH: row('The pin service names another CID than its content has.', 'Do not use this pin service.'),
  CALL_REVERTS: row('The contract refuses the call; nothing was sent.', 'The cause holds what the contract said.'),
  REGISTRATION_REVERTED: row('The registration was mined and reverted.', 'The message holds what the contract said.'),
  UPDATE_REVERTED: row('The update was mined and reverted.', 'The message holds what the contract said.'),
  REGISTRY_CANNOT_UPDATE: row(
    'Registries of this form keep what was registered as it is.',
    'Register anew under another handle, or use a registry of the form erc8004-v1.',
  ),
  AGENT_FILE_NOT_KEPT: row(
    'The current registration file cannot be read, or says what an agent card cannot; an update would lose that.',
    'Name a gateway that gives the file, by the option gatewayUrl or in SVC_GATEWAY_URL (a support API is one for what it pinned), or set replace to write a whole new one.',
  ),
  REGISTRATION_AMBIGUOUS: row(
    'The receipt holds several registrations that could be this one.',
    'Choose among the candidates that details name with linkRegistration or getAgent.',
  ),
  REGISTRATION_NOT_OUT: row('Nothing of the registration is out yet.', 'Resume it with the token of the result.'),
  AGENT_ID_UNKNOWN: row(
    'The wallet owns an agent whose id neither records nor events name.',
    'Register another one with force, or read its id off an explorer.',
  ),
  RESUME_TOKEN_INVALID: row(
    'There is no registration of this token.',
    'Use the token of the pending or deferred result.',
  ),
  AGENT_NOT_FOUND: row('The registry has no agent of this id.', 'Check chain and token id.'),
  AGENT_NOT_OWNED: row('The wallet neither owns the agent nor may act for it.', 'Use the wallet that owns the agent.'),
  // gas
  INSUFFICIENT_FUNDS: row('The wallet cannot pay the gas of the transaction.', 'Send the amount that details name.'),
  GAS_NOT_PAID: row(
    'No gas tier that the options allow pays; nothing is out.',
    'Name a bundler and a paymaster that pay, or add "wallet" to gas.tiers.',
  ),
  GAS_ABOVE_LIMIT: row(
    'The gas may cost more than one transaction is allowed to; the message names both figures. Nothing was signed.',
    'Compare the price with another endpoint; wait until gas is cheaper, or name a higher maxFeeWei.',
  ),
  PAYMASTER_REFUSED: row('The paymaster does not pay for this operation.', 'Pay the gas from the wallet.'),
  BUNDLER_UNAVAILABLE: row(
    'The bundler does not answer or lost the operation.',
    'Try again; the operation has one effect.',
  ),
  USER_OPERATION_REVERTED: row('The call inside the operation reverts.', 'The message holds what the contract said.'),
  DELEGATION_NOT_ALLOWED: row(
    'The code to delegate to is not on the list, or delegation was not agreed to.',
    'Allow the implementation in the options, after reading what delegation means.',
  ),
} as const satisfies Record<string, WalletErrorRow>

/** The closed union of codes. */
export type WalletErrorCode = keyof typeof walletErrorTable

/** What a code means, and what to do about it. */
export type WalletErrorRow = { readonly meaning: string; readonly suggestion: string }

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

function row(meaning: string, suggestion: string): WalletErrorRow {
  return { meaning, suggestion }
}
