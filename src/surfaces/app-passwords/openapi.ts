/** App passwords in the OpenAPI document, and the security scheme by which they read. */
import type { ProblemCode } from '../../errors.js'
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { json, type OpenApiPart, problemResponses, ref, text } from '../openapi.js'
import { LONGEST_ID, MOST_IDS } from './read.js'
import { APP_PASSWORDS_PATH } from './routes.js'

const TAG = 'app-passwords'

const example = {
  ...{ id: '5f0c7a52-3a0e-4d8e-9d0c-0d3c1f1f5b1a', name: 'Stock workbook', username: 'asha' },
  ...{ views: null, reports: ['inventory.fg-stock-status'] },
}

const ids = (description: string): JsonSchema => ({
  type: ['array', 'null'],
  ...{ items: { type: 'string', maxLength: LONGEST_ID }, minItems: 1, maxItems: MOST_IDS, description },
})

const about = {
  id: text('Its id.'),
  name: text('Its name.'),
  username: text('The user to whom it belongs: the user name for HTTP Basic.'),
  views: ids('Ids of the saved views that it may read.'),
  reports: ids('Ids of the reports that it may read.'),
}

const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description })

const whole = (properties: Record<string, JsonSchema>): JsonSchema => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})

const problems = (...more: ProblemCode[]) =>
  problemResponses([
    ...(['malformed-request', 'unauthorized', 'forbidden', 'request-timeout', 'too-many-requests'] as const),
    ...(['headers-too-large', 'internal-error', 'unavailable', 'timeout'] as const),
    ...more,
  ])

const common = {
  tags: [TAG],
  security: [{ bearer: [] }, { oauth2: [] }, { session: [], csrf: [] }],
}

export const appPasswordsPart = (): OpenApiPart => ({
  tags: [
    {
      name: TAG,
      description:
        'Secrets with which workbooks, BI tools and scripts read reports for a user, in place of the password of the user',
    },
  ],
  paths: {
    [APP_PASSWORDS_PATH]: {
      get: {
        ...common,
        operationId: 'appPasswords',
        summary: 'Your app passwords, with their last use',
        responses: {
          200: {
            description: 'The app passwords, by name.',
            content: json(ref('AppPasswords'), {
              data: [{ ...example, created_at: '2026-11-15T08:13:29.000Z', last_used_at: null }],
            }),
          },
          ...problems(),
        },
      },
      post: {
        ...common,
        operationId: 'createAppPassword',
        summary: 'Make an app password',
        description: `Send it by HTTP Basic with your username, or as \`Authorization: Bearer\`. It reads reports, saved views, the catalogue and the search
with the rights that you have at that time, and changes nothing. With \`reports\` or \`views\` it reads only these. It works until it or
your tokens are ended, or you are disabled. It is shown once.`,
        requestBody: {
          required: true,
          content: json(ref('NewAppPassword'), { name: example.name, reports: example.reports }),
        },
        responses: {
          201: {
            description: 'The app password.',
            content: json(ref('CreatedAppPassword'), { ...example, app_password: `millbook_${'A'.repeat(43)}` }),
          },
          ...problems('conflict', 'body-too-large', 'unsupported-media-type', 'invalid-parameters'),
        },
      },
    },
    [`${APP_PASSWORDS_PATH}/{id}`]: {
      delete: {
        ...common,
        operationId: 'deleteAppPassword',
        summary: 'End an app password',
        parameters: [
          { name: 'id', in: 'path', required: true, description: about.id['description'], schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'The app password that ended.',
            content: json(ref('EndedAppPassword'), { id: example.id, name: example.name, username: example.username }),
          },
          ...problems('does-not-exist'),
        },
      },
    },
  },
  schemas: {
    NewAppPassword: {
      type: 'object',
      properties: {
        name: {
          type: 'string',
          maxLength: 100,
          description: 'What it is for; your app passwords have different names.',
        },
        views: ids('Ids of the only saved views that it may read.'),
        reports: ids(
          'Ids of the only reports that it may read. Without `views` and `reports`, it may read all that you may.',
        ),
      },
      required: ['name'],
      additionalProperties: false,
    },
    CreatedAppPassword: whole({ ...about, app_password: text('Shown once: the service stores only its hash.') }),
    EndedAppPassword: whole({ id: about.id, name: about.name, username: about.username }),
    AppPasswords: whole({ data: { type: 'array', items: ref('AppPassword') } }),
    AppPassword: whole({
      ...about,
      created_at: time('When it was made.'),
      last_used_at: {
        ...{ type: ['string', 'null'], format: 'date-time' },
        description: 'When it was last used, to within 5 minutes; null if never.',
      },
    }),
  },
  securitySchemes: {
    appPassword: {
      ...{ type: 'http', scheme: 'basic' },
      description: `The username of a user with an app password from \`POST ${APP_PASSWORDS_PATH}\`, for programs that take a user name and a password. It is also accepted as \`bearer\`.`,
    },
  },
})
