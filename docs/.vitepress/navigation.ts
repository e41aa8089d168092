// Every page of the site, in the four kinds: to learn, to get something done, to look up, to understand.

type Pages = readonly (readonly [text: string, link: string])[];

/** Beside the name of the site: where each kind begins, and what is of no kind. */
export const navigation: Pages = [
  ['Tutorial', '/tutorial/first-five-minutes'],
  ['How to', '/how-to/'],
  ['Reference', '/reference/configuration'],
  ['Explanation', '/explanation/two-checks'],
  ['Playground', '/playground'],
];

export const kinds: readonly (readonly [kind: string, pages: Pages])[] = [
  [
    'Tutorial',
    [
      ['The first five minutes', '/tutorial/first-five-minutes'],
      ['Your own first rule', '/tutorial/first-rule'],
      ['Protect an Express service', '/tutorial/express'],
      ['Into production in an hour', '/tutorial/production'],
    ],
  ],
  [
    'How to',
    [
      ['Overview', '/how-to/'],
      ['Install', '/how-to/install'],
      ['Build a back end', '/how-to/building'],
      ['Put a service behind a gateway', '/how-to/gateways'],
      ['Ask for decisions directly', '/how-to/decision-api'],
      ['Use the console', '/how-to/console'],
      ['Move in from go-admin', '/how-to/go-admin'],
      ['Move in from casbin', '/how-to/casbin'],
      ['Run under systemd', '/how-to/systemd'],
      ['Run in Docker', '/how-to/docker'],
      ['Run in Kubernetes', '/how-to/kubernetes'],
      ['Operate', '/how-to/operate'],
      ['Run Postgres', '/how-to/postgres'],
      ['Check with doctor', '/how-to/doctor'],
      ['Monitor', '/how-to/monitor'],
      ['Upgrade', '/how-to/upgrade'],
      ['Back up and restore', '/how-to/backup'],
      ['Rotate keys', '/how-to/rotate-keys'],
      ['Revoke', '/how-to/revoke'],
      ['Require a second factor', '/how-to/second-factor'],
      ['Sign in with the company account', '/how-to/company-account'],
      ['Sign in with GitHub or by OAuth 2', '/how-to/github'],
      ['Sign in with Feishu', '/how-to/feishu'],
      ['Sign in with DingTalk or WeCom', '/how-to/dingtalk'],
      ['Log in by LDAP or Active Directory', '/how-to/ldap'],
      ['Let programs log in', '/how-to/machines'],
      ['Send events', '/how-to/events'],
      ['Erase a person’s data', '/how-to/erase'],
      ['Send mail, invite people', '/how-to/mail'],
      ['Ban with fail2ban', '/how-to/fail2ban'],
    ],
  ],
  [
    'Reference',
    [
      ['Settings', '/reference/configuration'],
      ['Commands', '/reference/commands'],
      ['Endpoints', '/reference/endpoints'],
      ['Errors', '/reference/errors'],
      ['Metrics', '/reference/metrics'],
      ['Benchmarks', '/reference/benchmarks'],
      ['Dependencies', '/reference/dependencies'],
      ['Specification', '/reference/specification'],
      ['Conformance', '/reference/conformance'],
      ['Glossary', '/reference/glossary'],
      ['Suites', '/reference/suites'],
    ],
  ],
  [
    'Explanation',
    [
      ['The two checks', '/explanation/two-checks'],
      ['How the barrier works', '/explanation/barrier'],
      ['What the login log proves', '/explanation/login-log'],
      ['Capacity', '/explanation/capacity'],
      ['Which engine stores what', '/explanation/engines'],
      ['Threats and defences', '/explanation/security'],
      ['Compared', '/explanation/compared'],
      ['Code map', '/explanation/code-map'],
      ['Code tours', '/explanation/code-tours'],
      ['Decisions', '/decisions/'],
    ],
  ],
];

/** The pages that there are in Chinese; the others are read in English. */
export const chineseNavigation: Pages = [
  ['教程', '/zh/tutorial/first-five-minutes'],
  ['操作指南', '/zh/how-to/'],
  ['参考（英文）', '/reference/configuration'],
  ['原理', '/zh/explanation/two-checks'],
  ['试验场（英文）', '/playground'],
];

export const chineseKinds: readonly (readonly [kind: string, pages: Pages])[] = [
  [
    '教程',
    [
      ['最初五分钟', '/zh/tutorial/first-five-minutes'],
      ['您自己的第一条规则', '/zh/tutorial/first-rule'],
      ['保护一个 Express 服务', '/zh/tutorial/express'],
      ['一小时上线', '/zh/tutorial/production'],
    ],
  ],
  [
    '操作指南',
    [
      ['概览', '/zh/how-to/'],
      ['安装', '/zh/how-to/install'],
      ['使用控制台', '/zh/how-to/console'],
      ['从 go-admin 迁入', '/zh/how-to/go-admin'],
      ['从 casbin 迁入', '/zh/how-to/casbin'],
      ['升级', '/zh/how-to/upgrade'],
      ['备份与恢复', '/zh/how-to/backup'],
      ['撤销', '/zh/how-to/revoke'],
      ['要求双因素认证', '/zh/how-to/second-factor'],
      ['使用企业账号登录', '/zh/how-to/company-account'],
      ['使用 GitHub 或通过 OAuth 2 登录', '/zh/how-to/github'],
      ['使用飞书登录', '/zh/how-to/feishu'],
      ['使用钉钉或企业微信登录', '/zh/how-to/dingtalk'],
      ['通过 LDAP 或 Active Directory 登录', '/zh/how-to/ldap'],
      ['让程序登录', '/zh/how-to/machines'],
      ['告知事件', '/zh/how-to/events'],
      ['抹除一个人的数据', '/zh/how-to/erase'],
      ['发送邮件，邀请人员', '/zh/how-to/mail'],
    ],
  ],
  [
    '原理',
    [
      ['两道检查', '/zh/explanation/two-checks'],
      ['比较', '/zh/explanation/compared'],
    ],
  ],
];
