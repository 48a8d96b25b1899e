/** Where the services of well-known assistants send people back after signing in (docs/assistants.md). */
export const ASSISTANTS = {
  claude: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
  chatgpt: ['https://chatgpt.com/connector_platform_oauth_redirect'],
  vscode: ['http://127.0.0.1/', 'https://vscode.dev/redirect'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type AssistantName = keyof typeof ASSISTANTS
export const assistantNames = Object.keys(ASSISTANTS) as AssistantName[]
