import { section } from './row.ts'

const wallet = 'packages/wallet/src'
const api = 'packages/support-api/src'
const mocks = 'packages/test-utils/src'

/** The document about the wallet package, agent identity and the support API. */
export const identity = [
  ...section('Wallet', [
    [
      '`ServiceWallet` takes `mode` `managed` or `local`',
      `${wallet}/service-wallet.test.ts`,
      'of a mode that is none it refuses the mode',
    ],
    [
      '`appId`, `appSecret`, `walletId`, `authPrivateKey` of a managed wallet',
      `${wallet}/service-wallet.test.ts`,
      'of a managed wallet names every field that is missing',
    ],
    [
      '`privateKey`, `chainId` of a local wallet',
      `${wallet}/service-wallet.test.ts`,
      'says of a field that is missing that it is missing',
    ],
    [
      'the P-256 key authorizes each signing request to the provider',
      `${mocks}/create-wallet-provider-server.test.ts`,
      'refuses a wrong secret, a wrong app, no signature, another key',
    ],
    [
      'in managed mode the key that signs is never here',
      `${wallet}/signers/managed-signer.test.ts`,
      'lets a function sign, so that the key stays where it is',
    ],
    [
      '`createEIP1193Provider(wallet)`: `request({ method, params })`',
      `${wallet}/provider/bridge.chain.test.ts`,
      'a wallet tells who and where it is, signs, sends',
    ],
    [
      '`eth_accounts`, `eth_requestAccounts`, `eth_chainId` are answered locally',
      `${wallet}/provider/bridge.chain.test.ts`,
      'a wallet tells who and where it is',
    ],
    [
      '`eth_sendTransaction`, `personal_sign`, `eth_signTypedData_v4` go to the wallet',
      `${wallet}/provider/bridge.chain.test.ts`,
      'a %s signer signs for the same script',
    ],
    [
      'other JSON-RPC, such as `eth_call`, `eth_getBalance`, `eth_getLogs`, `eth_blockNumber`, goes to the chain',
      `${wallet}/provider/create-eip1193-provider.chain.test.ts`,
      'reads go to the chain, with their answers as they are',
    ],
    [
      'it serves as `walletProvider` of the identity SDK, with no further credentials',
      `${wallet}/provider/bridge.chain.test.ts`,
      'the identity SDK registers an agent, loads it again',
    ],
    [
      'identity SDK 1.5.0 or later: the lowest that the registry has at every landing; 1.5.3, packed of its sources, by command (no stable 1.5.0 was released)',
      'integration/packages/main.mjs',
      'it registers with the identity SDK of',
    ],
  ]),
  ...section('Registration', [
    [
      '`registerAgent(wallet, options)` of `@svc/wallet` registers an agent, first where `options` ask for nothing more',
      'test/register-agent-example.system.test.ts',
      'the first program of the wallet package registers an agent',
    ],
    [
      '`name`, `description`, `role`, `mcpEndpoint`; any field of a template is overridden by its option',
      `${wallet}/agent/card/build-agent-card.test.ts`,
      'every field of a template gives way to the option of its name',
    ],
    [
      '`ipfsMode` `proxy`, `pinata`, `inline`, by default `proxy`',
      `${wallet}/agent/every-way.chain.test.ts`,
      'as %s, by %s',
    ],
    [
      '`SVC_IPFS_MODE`, `SVC_PINNING_JWT` and the name from the environment',
      `${wallet}/agent/environment.chain.test.ts`,
      'name, mode and token of the pinning account come from the environment',
    ],
    [
      '`SVC_PINNING_JWT` is required where the mode is `pinata`',
      `${wallet}/agent/environment.chain.test.ts`,
      'a wallet that is registered is refused a mode without its token',
    ],
    [
      'result: `agentId`, `registrationMethod` (`sdk-ipfs`, `sdk-inline`, `direct-contract`), `agentURI`',
      `${wallet}/agent/register-agent.chain.test.ts`,
      'is registered %s',
    ],
    [
      'a chain without a registry: `VALIDATION_CHAIN_NOT_SUPPORTED` before anything else, with a chain that is supported',
      `${wallet}/agent/register-agent.chain.test.ts`,
      'a chain without a registry is refused before anybody is asked',
    ],
    [
      'without the identity SDK, looked for by a dynamic import, tier 3',
      `${wallet}/agent/registration/load-identity-sdk.test.ts`,
      'that is not there is not installed, and no warning',
    ],
    [
      '`inline`: tier 2, `data:application/json;base64,<payload>` through the SDK (built with `chainId`, `rpcUrl`, `walletProvider`), and no network but the chain',
      `${wallet}/agent/identity-sdk-loader.chain.test.ts`,
      'an agent registers on the local chain with a local wallet and the file inline',
    ],
    [
      'else tier 1: the card is pinned, and its URI registered through the SDK',
      `${api}/register-agent.system.test.ts`,
      'an agent is registered through the pin proxy on %s, and its file is served',
    ],
    [
      'where the pin proxy fails, tier 2',
      `${wallet}/agent/failing-services.chain.test.ts`,
      'when the pin service %s (%j), the file goes into the URI',
    ],
    [
      '`pinata`: straight to the operator’s pinning account',
      `${wallet}/agent/card/pin-card.test.ts`,
      'the pinning account gets exactly the bytes of the file',
    ],
    [
      'tier 3: `register(handle, metadataURI, interfaceType)` with the small file, by the wallet package alone',
      `${mocks}/registry-handlers.test.ts`,
      'finds out by itself that a registry takes a handle, a URI and a type',
    ],
    [
      'an identity on chain, with its owner and URI',
      `${wallet}/agent/lookup/read-agents.chain.test.ts`,
      'is what was registered',
    ],
  ]),
  ...section('Card', [
    [
      '`name`, `description`, `domains`, `services`, `trust`, `metadata`',
      `${wallet}/agent/card/registration-file.test.ts`,
      'says what the card says, in the shape of ERC-8004',
    ],
    [
      'templates of `vault_participant`, `vault_manager`, `vault_creator`: `services`',
      `${wallet}/agent/card/build-agent-card.test.ts`,
      'the template of %s',
    ],
    [
      'domains: `finance_and_business/investment_services` first, a manager also `finance_and_business/asset_management`, a creator also `technology/software_development`; `metadata.role`',
      `${wallet}/agent/card/build-agent-card.test.ts`,
      'the template of %s',
    ],
    [
      '`a2a` service whose URL ends in `/.well-known/agent.json`',
      `${wallet}/agent/card/build-agent-card.test.ts`,
      'a manager may serve A2A, under the address of its card',
    ],
    [
      '`trust`: `reputation` and `cryptoEconomic` true, `zkml` false; `metadata.protocol:name` and `vault:chain`',
      `${wallet}/agent/card/build-agent-card.test.ts`,
      'an agent without protocol and vaults says nothing of them',
    ],
  ]),
  ...section('Chains', [
    [
      '1, 11155111, 8453, 137, 84532 have a registry; 10, 42161, 56, 43114, 42220, 81457, 130, 324 are pending',
      `${wallet}/agent/lookup/identity-registries.test.ts`,
      'the table has the thirteen chains of the matrix and no other',
    ],
    [
      'the pending ones are not supported',
      `${wallet}/agent/lookup/identity-registries.test.ts`,
      'is not supported yet',
    ],
    [
      'one address of the registry on every chain (mainnets have one, testnets another, as deployed)',
      `${wallet}/agent/lookup/identity-registries.test.ts`,
      'the addresses are those that the identity SDK registers at',
    ],
  ]),
  ...section('Support API', [
    [
      '`POST /v1/ipfs/pin` with `{ agentCard: AgentCard }`: `cid`, `uri`, `gatewayUrl`',
      `${api}/routes/pin.test.ts`,
      'a card is pinned under the address of its canonical registration file',
    ],
    [
      '`POST /v1/faucet/request` with `{ address, chainId, appId }` sends 0.01',
      `${api}/faucet/routes.chain.test.ts`,
      'a wallet is paid once, and told of its transaction when it asks again',
    ],
    [
      '`GET /v1/faucet/status`: health and what is left, with no authentication',
      `${api}/faucet/routes.chain.test.ts`,
      'names balance, queue and limits, for pages of any origin',
    ],
    [
      'once a wallet and chain, 409 afterwards',
      `${api}/faucet/faucet.system.test.ts`,
      'a wallet gets 0.01 once, and is told of it from then on',
    ],
    ['11155111 and 84532 alone', `${wallet}/chains.test.ts`, 'the faucet serves the testnets'],
    [
      'the app id as a Bearer token of a pin, and in the body of a claim; asked for at `{identity_provider_url}/api/v1/apps/<appId>/config`',
      `${api}/app-id/create-app-check.test.ts`,
      'a known app is asked for once in ten minutes',
    ],
    [
      'an app that the provider does not know is refused',
      `${api}/app.test.ts`,
      'malformed, unknown and missing ones get one answer',
    ],
    ['ten pins an hour and app', `${api}/routes/pin.test.ts`, 'of twenty that come at once ten are pinned'],
    [
      'a pin never changes, and is kept as `cid`, `appId`, `createdAt`',
      `${api}/routes/pin.test.ts`,
      'what is pinned outlives the process',
    ],
    [
      'a claim is kept as `address`, `chainId`, `appId`, `txHash`, `createdAt`',
      `${api}/faucet/outage.system.test.ts`,
      'no claim that was answered for is lost or paid twice',
    ],
    ['routes begin with `/v1`', `${api}/app.test.ts`, 'the description names every route'],
  ]),
  ...section('Gas', [
    [
      'sponsored on 8453: an ERC-4337 user operation with an ERC-7677 paymaster, `wallet.sendUserOp({ target, data, paymaster })`',
      `${wallet}/gas/sponsored-registration.chain.test.ts`,
      'on a chain that is sponsored a paymaster pays by default',
    ],
    ['where that fails, a direct transaction', `${wallet}/gas/sponsored-registration.chain.test.ts`, 'when %s'],
    [
      'faucet on testnets where the wallet holds nothing',
      `${wallet}/gas/funding.chain.test.ts`,
      'is asked by a wallet that holds nothing, and what it sends pays',
    ],
    [
      'claimed already, or limited: a person',
      `${wallet}/gas/funding.chain.test.ts`,
      'that answers %j leaves it to a person',
    ],
    [
      'by hand: address and about 0.005 are shown, 60 seconds are waited',
      `${wallet}/gas/sponsored-registration.chain.test.ts`,
      'and what is asked of a person is the least of the specification',
    ],
    [
      'then the registration is deferred',
      `${wallet}/agent/register-agent.chain.test.ts`,
      'without gas is deferred, and registered once it has some',
    ],
  ]),
  ...section('Test support', [
    [
      '`createTestServer(...handlers)`: `listen`, `resetHandlers`, `close`',
      `${mocks}/create-test-server.test.ts`,
      'handlers answer, what is used later first, and until it is reset',
    ],
    [
      '`identitySdkHandlers`: the same `agentId` and `agentURI` each time',
      `${mocks}/identity-sdk-handlers.test.ts`,
      'registerAgent through the identity SDK gives the same agent id and URI each time',
    ],
    [
      'the registry: `register()` and its event',
      `${mocks}/registry-handlers.chain.test.ts`,
      'the handlers answer every call as the contract itself does',
    ],
    [
      'the pin proxy: the same `cid` each time',
      `${mocks}/pin-proxy-handlers.test.ts`,
      'registerAgent pins its card, and the gateway gives the bytes that the CID names',
    ],
    ['`faucetHandlers`: success, or 409', `${mocks}/faucet-handlers.test.ts`, 'grants once for each wallet and chain'],
    [
      'a local chain (31337) with a registry, end to end with a `local` wallet and `inline`',
      `${wallet}/agent/identity-sdk-loader.chain.test.ts`,
      'an agent registers on the local chain with a local wallet and the file inline',
    ],
  ]),
]
