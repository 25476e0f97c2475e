/** What there is, on one screen: the commands in groups. */
export const overview = `svc: let an agent manage on-chain liquidity, and never hurt its owner
Try it, with nothing at stake
  svc demo          a scripted agent on a local chain, with --hostile a thief
  svc up            a local world to play in: chain, wallet, server, support API
Run it
  svc setup         a directory to try it or for production; what clients take
  svc doctor        what is wrong with a set-up, and the command that fixes it
  svc serve         the MCP server alone, configured by the environment
  svc keys          where its API keys are, their fingerprints; show prints one
Set its limits
  svc policy        show, check, explain, test, compile, add-token, add-delegate
Watch over it
  svc status        what stops signing, what of the day is spent, waits, is out
  svc verify-chains what endpoints and chains are good for, before an agent asks
  svc approvals     what waits for a person: list, show, approve, deny, page
  svc transactions  what the wallet signed: list, show, cancel, resolve
  svc pause, resume stops signing within a second; ends that (--rearm: breaker)
  svc audit         what is on record: show, verify, replay
  svc backup        its state, while it writes; svc restore puts it back, paused
  svc memory        what callers had remembered: export, forget
Reckon without an agent
  svc lp            optimize, backtest, fee-tier, replay: of a pool or a file
svc help COMMAND says what it takes, as does --help after it. See also docs/.
`

/** What one command takes: its entries, each of which begins two spaces in. */
export function helpOf(name: string): string {
  const ofIt = entries.split(/\n(?= {2}svc )/).filter((entry) => entry.startsWith(`  svc ${name} `))
  return `${ofIt.join('\n')}\n`.replace(/\n+$/, '\n')
}

const entries = `
  svc up [--json] [--mcp-port N] [--rpc-port N] [--api-port N] [--chain-id N]
         [--profile data|full|learning] [--trading-api [--trading-dialect v1|lp]]
         [--oauth] [--sign-in] [--websocket] [--data-dir D]
      A local chain with the real AMM contracts, a second one to which cross-chain orders lead, a funded wallet, the
      MCP server, and the support API with its page, in one process group.
      Port 0 is any free one; without a flag 3000, 8545 and 8080, if they are free. --json prints one line when ready.
      --profile is full unless said otherwise: data reads alone, learning has memory as well (docs/analytics.md).
      --trading-api starts a stand-in for the trading API beside it, which then builds what deposits, collect_fees,
      remove_liquidity and swaps send, and all that claim_lp_rewards and migrate_position do. Its newer dialect, lp, has
      words for the first three alone.
      --oauth starts a real authorization server beside it, whose tokens the MCP server takes (the package oidc-provider),
      and prints how to get one; --sign-in lets wallets sign in; --websocket serves /mcp over WebSocket as well.
      --data-dir keeps API keys, wallet, policy and a pause for the next time; audit log, operations, spending and
      breaker of the last run go with its chain (svc serve never clears anything). Ctrl-C ends all of it.
  svc serve --transport stdio|http [--data-dir D]
      The MCP server alone, configured by the environment (docs/config.md).
  svc setup --zero [--client NAME] [--json] [--data-dir D]
      For trying: a local key, the three API keys and the profile data in D/.env, what stands there kept. No account, nothing is
      asked of anybody, nothing can move funds. Prints what a client takes.
  svc setup production [--wallet-provider privy] [--wallet-app-id ID] [--wallet-app-secret-file FILE]
            [--rpc-provider NAME|URL] [--rpc-api-key-file FILE] [--role ROLE] [--chains NAME,NAME] [--deploy-target T]
            [--owner-key-file FILE] [--wallet-auth-key-file FILE] [--skip-identity] [--non-interactive] [--json] [--data-dir D]
      For production, asking what is not said: a managed wallet is made at its provider with the policy of its role around
      it, read back and compared, D/.env is written (0600, the former kept as .env.bak), a server is tried on it. A second run
      changes nothing; who leaves while being asked leaves nothing behind (exit code 130). With --non-interactive all that is
      missing is named at once (exit code 2). Each input has a flag, a file (--...-file, - for stdin) and a name in the environment
      (docs/production.md). Targets: local, container, fly, render.
  svc setup client NAME [--url URL] [--data-dir D]
      What claude-desktop, claude-code, cursor, vscode, windsurf, codex, gemini-cli or generic takes to start the server of D, or
      with --url to reach one over HTTP.
  svc doctor [--data-dir D] [--json]
      What check_setup_health checks, without a server and beside one: the machine, settings, keys, wallet and its provider,
      endpoints, clock, policy, port, TLS, gas. Each check that fails names the command that fixes it; then the exit code is 1.
  svc keys [list] [--data-dir D] [--json] | show NAME [--data-dir D] [--json]
           | rotate [--overlap MINUTES] | revoke WALLET|TOKEN | restore WALLET [--data-dir D] [--json]
      The file that holds the API keys of a server, and of each its name (read, feedback, write) and fingerprint, which is
      the caller that policy, approvals and audit log name; never the key itself. show prints the one that is named.
      Of wallets that sign in (docs/operating.md): rotate has every server on the state sign tokens with a new key, revoke
      turns a wallet away, or one token by its id, and restore lets a wallet in again; each felt within a second.
  svc approvals list [--all] [--caller ID] [--json] | show ID | approve ID [--yes --plan-hash HASH] | deny ID
                | cancel ID | page [--data-dir D]
      The operator's word on writes that await one, beside the running server; page serves them to a browser here. --caller
      takes the fingerprint of a key, as svc keys list prints it (local over stdio).
  svc transactions list [--all] [--json] | show HASH [--json] | cancel HASH [--wait SECONDS] [--json]
                | resolve HASH --taken-by HASH [--wait SECONDS] [--json] [--data-dir D]
      What the wallet signed and how it stands, beside the running server; cancel has the server use the nonce of one that
      is stuck up with an empty transfer, also while signing is paused; resolve names what took the nonce of one, where
      the endpoint has forgotten (docs/operating.md).
  svc memory export [--principal ID] | forget --principal ID | forget --all [--yes] [--json] [--data-dir D]
      What callers had remembered (episodes, insights, feedback), as JSON, beside the running server; forget takes it away
      for good, after a yes. ID is the fingerprint of a key, as svc keys list prints it, or shared where SVC_MEMORY is.
  svc policy check [FILE] | schema [--data-dir D] [--production]
      What is wrong with policy.json (exit code 1), and the JSON Schema of such a file (docs/policy.md).
  svc policy show [--data-dir D] [--policy FILE] [--production] [--json]
      The policy in force, member by member: its value and whether the file says so or a default; and on each chain with an
      endpoint of its own the tokens, spenders and recipients that it comes to.
  svc policy explain PLAN [--offline] [--data-dir D] [--policy FILE] [--wallet ADDRESS] [--json]
      What each rule says to a plan: the id of a stored one, or a JSON file with an intent; and how to change it. What each
      source says of its tokens, and what leaves and comes back, is read from the chain; --offline leaves that out. Of a
      stored plan it says first how it stands, and judges it as if it were carried out now.
      Chains: SVC_CHAINS_FILE, else those of the local world in the data directory. So with the wallet (--wallet).
  svc policy add-token CHAIN TOKEN [--feed ADDRESS --heartbeat SECONDS --deviation-bps N] [--yes] [--json]
                  [--data-dir D] [--policy FILE]
      Proposes what a token's price is taken from (its deepest pools against listed tokens, a week old, deep on both
      sides; a Chainlink feed), shows what each says, and after a yes writes it and the token into policy.json (docs/operating.md).
  svc policy add-delegate CHAIN [--yes] [--json] [--data-dir D] [--policy FILE]
      Lets the wallet make several calls as one transaction on a chain (EIP-7702): looks whether the batch delegate stands
      there, prints the transaction that deploys it where it does not, and after a yes names it in policy.json.
  svc policy add-operator NAME PASSKEY [--yes] [--json] [--data-dir D] [--policy FILE]
      Lets a passkey decide on the operator page from afar: NAME and PASSKEY as the page shows them once a device has made
      one (docs/operating.md). Shows its fingerprint, and after a yes writes its public half into policy.json.
  svc policy test [FILE] [--data-dir D] [--policy FILE]
      Runs the named cases of policy.test.json against the policy, offline.
  svc policy compile [--provider privy] [--template ROLE] [--chains ID,ID] [--data-dir D] [--policy FILE]
      The rules for the managed wallet's provider, and what they cannot say. Roles: vault_participant (default),
      vault_manager, vault_creator.
  svc status [--positions] [--wallet ADDRESS] [--json] [--data-dir D] | --page [--json] [--data-dir D]
      Whether signing is paused, stopped by the circuit breaker or by a broken policy.json, what of the last 24 hours is spent
      and left, what waits, what is out and how the last writes ended: of all callers, beside the running server and without
      one. With --positions also what the wallet has in pools, which the chains are asked for; health is svc doctor. --page
      prints instead a link that opens the operator page on this machine (SVC_OPERATOR_PAGE), once.
  svc verify-chains [--chain NAME] [--json] [--data-dir D]
      Whether each contract that the row of a chain names answers as it should at the configured endpoints, and what each
      endpoint can do: age of its head, how far back it has state and logs, how wide a range of logs and how long a batch
      it takes; and what the tools can do with it. Reads alone. Exit code 1 where a contract does not answer. All mainnets
      and own chains without --chain.
  svc pause [--reason TEXT] [--data-dir D]
      Stops signing within a second, also for calls on their way. What is out is still looked after.
  svc resume [--rearm] [--data-dir D]
      Ends a pause; --rearm also closes the circuit breaker.
  svc backup DIR [--with-wallet-secrets] [--data-dir D]
      The state as of one moment (SQLite or PostgreSQL), switches, policy, keys and audit log of a server in a new directory DIR,
      beside the server and while it writes, each file with its checksum (docs/backup.md). Of .env it leaves the secrets of the
      wallet out unless they are asked for. Exit code 1 where the chain of the audit log is broken.
  svc restore DIR [--check] [--data-dir D]
      Brings a backup back into an empty data directory, and into the empty database where SVC_DATABASE_URL names one. Signing is
      paused then, and what to look at first is printed. Refused where a server runs. --check looks only whether the backup is whole.
  svc audit verify [--from N] [--json]
      Checks the chain of the audit log and names the first line that does not fit; exit code 1 then, and when the
      log or a file of it is missing. --from N begins with audit-N.jsonl.
  svc audit show [--tool T] [--event E] [--since TIME] [--request ID] [--json]
      The lines of the audit log as a table, those that fit every filter: T a tool (execute_swap), E an event or its
      first words (tx.failed, tx), TIME 2026-01-31 or 2026-01-31T12:00:00Z, ID what stands behind "request".
  svc audit replay --day YYYY-MM-DD [--rpc-url URL] [--json]
      Plays what was simulated before each signature of a day (UTC) again, and compares it with the record. Without
      --rpc-url at the endpoints of the settings, or of the local world in the data directory while it runs.
      Each takes --data-dir too, and runs beside the server.
  svc lp optimize FILE --fee FEE --decimals N,N [--base 0|1] | --chain C --pair A/B [--fee FEE] | --chain C --pool ID
                  [--amount USD] [--horizon-days N] [--risk conservative|moderate|aggressive] [--json]
                  [--volatility historical|implied] [--block-seconds N] [--simulations N] [--seed N] [--svg FILE]
      Chooses a range (docs/analytics.md) for the pool of a CSV file of bars, or for one of a chain, with the error of what
      it may earn; --svg draws it as well.
      --fee is in millionths or percent (500, 0.05%), --amount what is put in (10000). A file also needs --decimals of the
      pool's token0 and token1; --base is the token whose price is meant (0), and more of the pool is given by --pair NAME,
      --tick-spacing N, --protocol-fee-pct P, --quote-usd USD (1) for one of the other token, --gas-usd USD (0) for
      opening or closing, --bar-seconds N, --block-seconds N (12).
      A chain tells all that itself: the read tools of svc serve are asked, without a wallet, by the settings of the
      environment. --chain is the name or id of a built-in chain, of one in the file SVC_CHAINS_FILE names, or without that
      file of a local world, whatever its id, in --data-dir D while it runs. The price of A in B is meant, and without
      --fee the deepest pool; with --pool the price of token0, or by --base 1 of token1.
  svc lp backtest FILE --fee FEE --decimals N,N | --chain C ... [--start TIME] [--end TIME]
                  [--amount USD] [--block-seconds N] [--strategies JSON|FILE] [--json] [--svg FILE]
                | EVENTS --resolution swap --decimals N,N [--fee FEE] [--start TIME] [--end TIME] ...
      Replays strategies over the bars, or over the last 30 days of a pool: fees with their uncertainty, IL, LVR, costs.
      With --resolution swap over all events of a pool (svc lp replay), in bars of an hour or --bar-seconds: fees and time in
      range are counted swap by swap, and how far the bars lie off is said (feesDifferenceUsd).
      --strategies is a list of { name, rangePct, rebalanceThresholdPct }, TIME as 2026-01-31 or 2026-01-31T12:00:00Z.
  svc lp fee-tier PIPS=FILE ... --decimals N,N [--base 0|1] [--amount USD] [--block-seconds N]
                  [--json] | --chain C --pair A/B [--json]
      Compares the fee tiers of a pair, each given by a file of bars, or those of a chain.
  svc lp replay EVENTS [--fee FEE] [--tick-spacing N] [--lower TICK --upper TICK --liquidity N [--added [--start TIME]
                [--end TIME]]] [--json]
      Replays all events of a v3 or v4 pool from its Initialize on, to the unit, and says how the pool stands, what was traded
      and what a position earned; or on which line the file contradicts itself, in which fields (exit code 1).
      EVENTS is JSON lines {"eventName", "args", "timestamp"} as viem decodes logs, or a CSV with a column for each argument
      (docs/analytics.md). v3 needs --fee. --added is a position that is not in the file: it shares the same trade.
  svc demo [--hostile]
      A scripted agent adds liquidity, earns fees, swaps, uses a vault, moves to another chain, and leaves.
      --hostile: it tries to drain the wallet instead, and each attempt is shown with what stopped it.
`
