// What an operator types, in order.

/** Chapters: what is said, and commands with what must be found in what they print. `world` is what stands outside, `packed` the folder of the packages. */
export function story(world, packed) {
  const told = {}
  return [...settingUp(world, packed), ...working(world, told), ...losing(world, told), ...failingOver(world, told)]
}

const settingUp = ({ rpcUrl, providerUrl, appId, vault, hookUrl }, packed) => [
  {
    title: 'Install',
    says: 'The packages are those that `npm pack` makes. Nothing else is in the directory, and nothing in the home of the user.',
    steps: [
      { run: `npm install --no-audit --no-fund --loglevel=error ${packed}/*.tgz`, finds: /added \d+ packages/ },
      { run: 'export PATH="$PWD/node_modules/.bin:$PATH"' },
      { run: 'umask 077' },
      { run: 'svc help | head -1', finds: /^svc: / },
      { run: 'svc up', finds: /comes with a clone/ },
    ],
  },
  {
    title: 'Read, with no account anywhere',
    says: `The last two settings name a local chain; without them the chains are those that ship, over public endpoints.
\`agent.mjs\` is [an agent that makes one call](../integration/operator/agent.mjs). Such a server signs nothing; where it is asked to, it says how to set up one that does.`,
    steps: [
      { run: 'svc setup --zero --data-dir reading', finds: /Nothing here can move funds/ },
      { run: `echo "SVC_CHAINS_FILE=$PWD/chains.json" >>reading/.env` },
      { run: `echo 'SVC_RPC_URL_31337=${rpcUrl}' >>reading/.env` },
      {
        run: 'node agent.mjs reading get_token_price token=WETH chain=local .priceUsd .confidence',
        finds: /^priceUsd: [^n]/,
      },
      {
        run: `node agent.mjs reading vault_deposit vault=${vault} chain=local amount=200`,
        finds: /^refused \([A-Z_]+\)[^]*setup production/,
      },
    ],
  },
  {
    title: 'Set the limits',
    says: 'At most 240 US dollars a call and 500 a day, into one vault. The policy comes before the wallet: what the provider is told to allow is compiled from it.',
    steps: [
      { run: `export SVC_WALLET_API_URL=${providerUrl} SVC_CHAINS_FILE=$PWD/chains.json` },
      { run: 'mkdir production' },
      {
        run: `cat >production/policy.json <<'END'
{
  "version": 1,
  "limitsUsd": { "perTransaction": "240", "perSession": "500", "daily": "500" },
  "vaults": { "31337": ["${vault}"] }
}
END`,
      },
      { run: 'svc policy check --production --data-dir production', finds: /is in order/ },
    ],
  },
  {
    title: 'Set up for production',
    says: `Here \`SVC_WALLET_API_URL\` names a stand-in for the provider of managed wallets, which checks signatures and enforces policies as the real one does; without that setting the real one is asked.
The key of the wallet's owner is moved away, and alerts are sent to a webhook on this machine.`,
    steps: [
      {
        run: `svc setup production --non-interactive --wallet-provider privy --wallet-app-id ${appId} --wallet-app-secret-file app-secret --rpc-provider ${rpcUrl} --chains local --role vault_participant --deploy-target local --skip-identity --data-dir production`,
        finds: /10\/10 /,
      },
      { run: 'mkdir elsewhere && mv production/owner-key.txt elsewhere/' },
      {
        run: `cat >>production/.env <<END
SVC_LISTEN=127.0.0.1:0
SVC_WEBHOOK_URL=${hookUrl}
SVC_WEBHOOK_SECRET=whsec_$(head -c 32 /dev/urandom | base64)
SVC_WEBHOOK_PRIVATE=allow
END`,
      },
    ],
  },
]

const hashIn = (text) => /0x[0-9a-f]{64}/.exec(text)?.[0]

const working = ({ vault, fund, heard }, told) => [
  {
    title: 'Start',
    says: 'Once the server says which wallet it has, somebody sends that gas and money.',
    steps: [
      { run: 'svc serve --transport http --data-dir production 2>server.log & server=$!' },
      { waits: "grep -q '^svc listens on' server.log" },
      { run: "grep -v '^{' server.log", finds: /svc listens on/ },
      { run: `url=$(sed -n 's/^svc listens on //p' server.log)` },
      { run: 'export AGENT_KEY=$(svc keys show write --data-dir production)' },
      {
        run: 'node agent.mjs $url get_agent_balance chain=local .address',
        finds: /0x/,
        hears: ({ text }) => fund(/0x[0-9a-fA-F]{40}/.exec(text)[0], { ETH: '1', USDC: '1000' }),
      },
      { run: 'svc doctor --data-dir production', finds: /./ },
    ],
  },
  {
    title: 'Deposit',
    says: '',
    steps: [
      {
        run: `node agent.mjs $url vault_deposit vault=${vault} chain=local amount=200 idempotencyKey=first .status .deposited .depositedUsd .shares .txHash`,
        finds: /^status: "success"/,
        hears: ({ text }) => void (told.deposit = hashIn(text)),
      },
      { run: 'svc status --data-dir production', finds: /Signing is on/ },
    ],
  },
  {
    title: 'Hear an alert',
    says: 'A second deposit brings what is spent above 80 % of the day. The alert comes to the webhook, and stands in the log and in `check_safety_status`.',
    steps: [
      {
        run: `node agent.mjs $url vault_deposit vault=${vault} chain=local amount=220 .status .deposited`,
        finds: /^status: "success"/,
      },
      { awaits: () => heard('daily_spend') },
      { run: 'node agent.mjs $url check_safety_status .alerts .spentUsd', finds: /daily_spend/ },
      { run: 'grep -c alert.raised server.log', finds: /^[1-9]/ },
    ],
  },
]

const losing = ({ vault }, told) => [
  {
    title: 'Back up, while it runs',
    says: 'The secrets of the wallet are left out of a backup; they are kept where the key of its owner is.',
    steps: [
      { run: 'svc backup backup --data-dir production', finds: /^Backed up / },
      { run: 'svc restore --check backup', finds: /^Whole: / },
      { run: "grep -E '^WALLET_(APP_SECRET|AUTH_PRIVATE_KEY)=' production/.env >elsewhere/wallet.env" },
    ],
  },
  {
    title: 'Lose the machine, and restore',
    says: 'What is restored starts paused. It knows the earlier deposits: the first one, repeated under its key, is answered with its transaction and not made again.',
    steps: [
      { run: 'kill -9 $server; wait $server 2>/dev/null; rm -rf production' },
      { run: 'svc restore backup --data-dir restored', finds: /Signing is paused/ },
      { run: 'cat elsewhere/wallet.env >>restored/.env' },
      { run: 'svc serve --transport http --data-dir restored 2>server.log & server=$!' },
      { waits: "grep -q '^svc listens on' server.log" },
      { run: `url=$(sed -n 's/^svc listens on //p' server.log)` },
      {
        run: `node agent.mjs $url vault_withdraw vault=${vault} chain=local`,
        finds: /^refused \(SERVER_PAUSED\)/,
      },
      { run: 'svc transactions list --all --data-dir restored', finds: /0x/ },
      { run: 'svc resume --data-dir restored', finds: /^Resumed/ },
      {
        run: `node agent.mjs $url vault_deposit vault=${vault} chain=local amount=200 idempotencyKey=first .status .deposited .txHash`,
        finds: (text) => told.deposit !== undefined && hashIn(text) === told.deposit,
      },
      {
        run: `node agent.mjs $url vault_withdraw vault=${vault} chain=local .status .withdrawn`,
        finds: /^status: "success"/,
      },
      { run: 'svc audit verify --data-dir restored', finds: /^Whole: / },
      { run: 'kill $server; wait $server' },
    ],
  },
]

const failingOver = ({ vault, databaseUrl, sent }, told) => [
  {
    title: 'Add a second machine',
    says: `Two servers of one wallet share one PostgreSQL, and the state of a server moves there by a backup. No server runs any more, so nothing is missing in this one, and signing may go on at once.
The second directory stands for the second machine: it gets the settings and the policy of the first.`,
    steps: [
      { run: 'svc backup moved --data-dir restored', finds: /^Backed up / },
      { run: `export SVC_DATABASE_URL=${databaseUrl}` },
      { run: 'svc restore moved --data-dir first', finds: /^Restored into .* and the database/ },
      { run: `{ cat elsewhere/wallet.env; echo "SVC_DATABASE_URL=$SVC_DATABASE_URL"; } >>first/.env` },
      { run: 'rm -rf restored' },
      { run: 'svc resume --data-dir first', finds: /^Resumed/ },
      { run: 'mkdir second && cp first/.env first/policy.json second/' },
      { run: 'svc serve --transport http --data-dir first 2>first.log & first=$!' },
      { waits: "grep -q '^svc listens on' first.log" },
      { run: 'svc serve --transport http --data-dir second 2>second.log & second=$!' },
      { run: 'svc status --data-dir first | grep ^Led', finds: /the server of this directory/ },
      { waits: "grep -q '^svc listens on' second.log" },
      { run: 'svc status --data-dir second | grep ^Led', finds: /a server of another directory/ },
    ],
  },
  {
    title: 'Lose the server that leads',
    says: `While the first server leads, the second one answers reads alone. Once the first is dead, it takes over within seconds. The agent repeats its deposit there, under the same key:
the answer names the transaction that the first server sent, and no other is sent.`,
    steps: [
      { run: `url=$(sed -n 's/^svc listens on //p' first.log) other=$(sed -n 's/^svc listens on //p' second.log)` },
      {
        run: `node agent.mjs $url vault_deposit vault=${vault} chain=local amount=30 idempotencyKey=last .status .deposited .txHash`,
        finds: /^status: "success"/,
        hears: async ({ text }) => void Object.assign(told, { last: hashIn(text), sent: await sent() }),
      },
      {
        run: `node agent.mjs $other vault_deposit vault=${vault} chain=local amount=30 idempotencyKey=last .status .deposited .txHash`,
        finds: /^refused \(NOT_LEADER\)/,
      },
      { run: 'kill -9 $first; wait $first 2>/dev/null' },
      { waits: 'grep -q leadership.taken second.log' },
      { run: 'svc status --data-dir second | grep ^Led', finds: /the server of this directory/ },
      {
        run: `node agent.mjs $other vault_deposit vault=${vault} chain=local amount=30 idempotencyKey=last .status .deposited .txHash`,
        finds: async (text) => told.last !== undefined && hashIn(text) === told.last && (await sent()) === told.sent,
      },
      {
        run: `node agent.mjs $other vault_withdraw vault=${vault} chain=local .status .withdrawn`,
        finds: /^status: "success"/,
      },
      { run: 'svc audit verify --data-dir second', finds: /^Whole: / },
      { run: 'kill $second; wait $second' },
    ],
  },
]
