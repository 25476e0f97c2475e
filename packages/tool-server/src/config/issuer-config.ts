import type { Config, ConfigProblem } from './config-shape.ts'
import { defaultSecretHeader } from './issuer-settings.ts'
import type { Settings } from './schema.ts'

/** The edge only where all that its tokens are held against is there; what is missing is a broken rule, not half an edge. */
export function readEdge(values: Settings): Pick<Config, 'edge' | 'edgeSecretHeaders'> {
  const { SVC_EDGE_ISSUER: issuer, SVC_EDGE_KEYS_URL: keysUrl, SVC_EDGE_AUDIENCE: audiences } = values
  const isWhole = issuer !== undefined && keysUrl !== undefined && audiences !== undefined
  return {
    edge: isWhole ? { issuer, keysUrl, audiences, tokenHeader: values.SVC_EDGE_TOKEN_HEADER } : null,
    edgeSecretHeaders: [...new Set([defaultSecretHeader, values.SVC_EDGE_SECRET_HEADER])],
  }
}

/** What tokens of others rest on. */
export function issuerRules(config: Config, values: Settings): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const edge = ['SVC_EDGE_ISSUER', 'SVC_EDGE_KEYS_URL', 'SVC_EDGE_AUDIENCE'] as const
  const absent = edge.filter((name) => values[name] === undefined)
  if (absent.length < edge.length) {
    for (const setting of absent) {
      const message = 'An access edge has an issuer, a place of its keys and an audience.'
      problems.push({ code: 'SETTING_MISSING', setting, message, fix: `Set ${setting}.` })
    }
  }
  const issuers = config.oauth.map(({ issuer }) => issuer)
  const isNamedTwice = new Set(issuers).size < issuers.length
  if (isNamedTwice) problems.push(invalid('SVC_OAUTH_ISSUERS', 'It names an issuer twice.'))
  if (config.edge !== null && issuers.includes(config.edge.issuer))
    problems.push(invalid('SVC_OAUTH_ISSUERS', 'It names the issuer of the edge, whose tokens are for the edge alone.'))
  return problems
}

function invalid(setting: string, message: string): ConfigProblem {
  return { code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }
}
