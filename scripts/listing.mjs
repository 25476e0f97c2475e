// What registries and clients list the tool server by, made from its manifest, its table of settings and its catalogue alone.

/** `server.json`: the entry of the MCP registry. */
export function serverJson({ manifest, settings }) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: manifest.mcpName,
    title,
    description: summary,
    version: manifest.version,
    packages: [
      {
        registryType: 'npm',
        identifier: manifest.name,
        version: manifest.version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'named', name: '--transport', value: 'stdio' }],
        environmentVariables: reading.map((name) => {
          const { meaning, secret, ...row } = settingOf(settings, name)
          const fallback = values[name] ?? (isLiteral(row.default) ? row.default : null)
          return {
            name,
            description: meaning,
            isSecret: secret,
            ...(fallback === null ? {} : { default: fallback }),
          }
        }),
      },
    ],
  }
}

/** `manifest.json` of the `.mcpb`: a server that only reads, for a client that starts it with a click. */
export function bundleManifest({ manifest, settings, tools }) {
  const asked = reading.filter((name) => values[name] === undefined)
  return {
    manifest_version: '0.4',
    name: 'svc',
    display_name: title,
    version: manifest.version,
    description: summary,
    long_description: `${manifest.description} This bundle has the profile "data": it reads, holds no key, and signs nothing. Writes need a managed wallet, which \`svc setup production\` sets up.`,
    author: { name: 'the svc authors' },
    license: manifest.license,
    keywords: manifest.keywords,
    server: {
      type: 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entryPoint}`, '--transport', 'stdio'],
        env: { ...values, ...Object.fromEntries(asked.map((name) => [name, `\${user_config.${name.toLowerCase()}}`])) },
      },
    },
    tools: tools
      .filter(({ inDataProfile }) => inDataProfile)
      .map(({ name, description }) => ({ name, description }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: manifest.engines.node } },
    user_config: Object.fromEntries(
      asked.map((name) => {
        const { meaning, secret } = settingOf(settings, name)
        const isPlace = name === 'SVC_DATA_DIR'
        return [
          name.toLowerCase(),
          {
            type: isPlace ? 'directory' : 'string',
            title: titles[name],
            description: meaning,
            required: false,
            sensitive: secret,
            // One that is not given would reach the server as its own name.
            default: isPlace ? '${HOME}/.svc' : '',
          },
        ]
      }),
    ),
  }
}

/** Where the bundled server stands in a `.mcpb`. */
export const entryPoint = 'server/svc-server.mjs'

const title = 'Liquidity tool server'
/** A registry takes a hundred characters. */
const summary = 'Uniswap v2, v3 and v4 for agents: markets, positions, LP analytics, and guarded writes.'

/** The settings of a server that only reads, in the order in which a person is asked for them. */
const reading = ['SVC_MCP_PROFILE', 'SVC_RPC_PROVIDER', 'RPC_API_KEY', 'SVC_MCP_SUBGRAPH_API_KEY', 'SVC_DATA_DIR']

/** What is not asked for: a listed server begins with reads. */
const values = { SVC_MCP_PROFILE: 'data' }

const titles = {
  SVC_RPC_PROVIDER: 'Provider of RPC endpoints',
  RPC_API_KEY: 'Key of that provider',
  SVC_MCP_SUBGRAPH_API_KEY: 'Key of the subgraph gateway',
  SVC_DATA_DIR: 'Data directory',
}

function settingOf(settings, name) {
  const row = settings.find((one) => one.name === name)
  if (row === undefined) throw new Error(`There is no setting ${name}.`)
  return row
}

/** Some defaults are words about it, not the value. */
function isLiteral(text) {
  return text !== null && !text.includes(' ')
}
