import { defineTexts } from '../../language/language.ts';

export const texts = defineTexts({
  en: {
    lead: 'From the first token to a guarded service: commands to copy, already filled with this address and your name. They need curl and jq.',
    cards: {
      login: {
        title: 'Sign in',
        text: 'Asks for the password and keeps the token in $TOKEN for the commands below.',
      },
      call: {
        title: 'Call an endpoint',
        text: 'The token goes into the header Authorization. This one answers who you are and what your role may do.',
      },
      explain: {
        title: 'Be refused, and ask why',
        text: 'Without a token the answer is HTTP 200 with code 401 and the reason in X-Auth-Reason. The second command says what the checks would decide for you, and why.',
      },
      routes: {
        title: 'Import the routes of a service',
        text: 'Reads the OpenAPI document of a service, here one on port 9000, so that its endpoints show in the matrix.',
      },
      guard: {
        title: 'Protect a Node service',
        text: 'The guard decides inside your service, without a network call. Portcullis needs decision.secret, and the service the same one as DECISION_SECRET.',
      },
      gateway: {
        title: 'Protect any service with nginx',
        text: 'Run it in the folder of Portcullis, and start Portcullis with the same DECISION_SECRET before the last command, which tries to get past the gateway.',
      },
      follow: {
        title: 'Follow the login log',
        text: 'Shows every login as it happens, until Ctrl-C.',
      },
    },
    withCaptcha: 'The picture is saved as captcha.png; open it and type what you see.',
  },
  zh: {
    lead: '从获取第一个令牌到保护一个服务：命令可直接复制，已填入本服务地址和您的用户名。需要 curl 和 jq。',
    cards: {
      login: {
        title: '登录',
        text: '输入密码后，令牌保存在 $TOKEN 中，供下面的命令使用。',
      },
      call: {
        title: '调用接口',
        text: '令牌放在 Authorization 请求头中。此接口返回您是谁以及您的角色可以做什么。',
      },
      explain: {
        title: '被拒绝，并查询原因',
        text: '没有令牌时返回 HTTP 200，code 为 401，原因在 X-Auth-Reason 中。第二条命令说明各项检查对您会如何判定，以及为什么。',
      },
      routes: {
        title: '导入服务的接口',
        text: '读取服务的 OpenAPI 文档（此处以 9000 端口的服务为例），其接口便会出现在权限矩阵中。',
      },
      guard: {
        title: '保护 Node 服务',
        text: 'guard 在您的服务进程内判定，无需网络调用。Portcullis 需要配置 decision.secret，服务用相同的值作为 DECISION_SECRET。',
      },
      gateway: {
        title: '用 nginx 保护任意服务',
        text: '请在 Portcullis 目录中运行，并在执行最后一条命令前以相同的 DECISION_SECRET 启动 Portcullis。最后一条命令会尝试绕过网关，以验证防护是否有效。',
      },
      follow: {
        title: '实时查看登录日志',
        text: '实时显示每一次登录，按 Ctrl-C 结束。',
      },
    },
    withCaptcha: '验证码图片保存为 captcha.png，请打开并输入其中的字符。',
  },
});
