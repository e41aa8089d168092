// go-admin's tables as its versions make them, written from what its models say, with the rows that it ships.

export type Dialect = 'mysql' | 'postgres';

/** `current`: 2.x. `marked`: the newest, which marks deleted rows by a number. `old`: of 2020. */
export type Version = 'current' | 'marked' | 'old';

export function schemaOf(dialect: Dialect, version: Version): string[] {
  const id = dialect === 'mysql' ? 'bigint primary key auto_increment' : 'bigserial primary key';
  const number = 'bigint';
  const time = dialect === 'mysql' ? 'datetime(3) null' : 'timestamptz null';
  const deleted = version === 'marked' ? 'bigint not null default 0' : time;
  const by = version === 'old' ? 'varchar(128)' : number;
  const common = `create_by ${by}, update_by ${by}, created_at ${time}, updated_at ${time}, deleted_at ${deleted}`;
  const isAdmin = dialect === 'mysql' ? 'tinyint(1)' : 'boolean';
  const departmentStatus = version === 'old' ? 'varchar(4)' : number;
  const end = dialect === 'mysql' ? 'engine = InnoDB default charset = utf8mb4' : '';
  return [
    `create table sys_dept (dept_id ${id}, parent_id ${number}, dept_path varchar(255), dept_name varchar(128),
      sort ${number}, leader varchar(128), phone varchar(11), email varchar(64), status ${departmentStatus}, ${common}) ${end}`,
    `create table sys_role (role_id ${id}, role_name varchar(128), status varchar(4), role_key varchar(128),
      role_sort ${number}, flag varchar(128), remark varchar(255), admin ${isAdmin}, data_scope varchar(128), ${common}) ${end}`,
    `create table sys_role_dept (role_id ${number} not null, dept_id ${number} not null, primary key (role_id, dept_id)) ${end}`,
    `create table sys_user (user_id ${id}, username varchar(64), password varchar(128), nick_name varchar(128),
      phone varchar(11), role_id ${number}, salt varchar(255), avatar varchar(255), sex varchar(255), email varchar(128),
      dept_id ${number}, post_id ${number}, remark varchar(255), status varchar(4), ${common}) ${end}`,
    version === 'old'
      ? `create table casbin_rule (p_type varchar(100), v0 varchar(100), v1 varchar(100), v2 varchar(100),
          v3 varchar(100), v4 varchar(100), v5 varchar(100)) ${end}`
      : `create table sys_casbin_rule (id ${id}, ptype varchar(512), v0 varchar(512), v1 varchar(512), v2 varchar(512),
          v3 varchar(512), v4 varchar(512), v5 varchar(512)) ${end}`,
    `create table sys_menu (menu_id ${id}, menu_name varchar(128), title varchar(128), icon varchar(128), path varchar(128),
      paths varchar(128), menu_type varchar(1), action varchar(16), permission varchar(255), parent_id ${number},
      no_cache ${isAdmin}, breadcrumb varchar(255), component varchar(255), sort ${number}, visible varchar(1),
      is_frame varchar(1) default '0', ${common}) ${end}`,
    `create table sys_role_menu (role_id ${number} not null, menu_id ${number} not null, primary key (role_id, menu_id)) ${end}`,
    `create table sys_config (id ${id}, config_name varchar(128), config_key varchar(128), config_value varchar(255),
      config_type varchar(64), ${version === 'old' ? '' : 'is_frontend varchar(64),'} remark varchar(128), ${common}) ${end}`,
  ];
}

export const publishedHash = '$2a$10$/Glr4g9Svr6O0kvjsRJCXu3f0W8/dsP3XZyVNi1019ratWpSPMyw.';

export type Value = string | number | null;
export type Rows = readonly Readonly<Record<string, Value>>[];

/** What a new installation holds. */
export function shippedRows(version: Version): Record<string, Rows> {
  const [enabled, disabled] = version === 'old' ? ['0', '1'] : ['2', '1'];
  const department = (
    dept_id: number,
    parent_id: number,
    dept_path: string,
    dept_name: string,
    status = enabled,
  ) => ({
    dept_id,
    parent_id,
    dept_path,
    dept_name,
    status,
  });
  return {
    sys_dept: [
      department(1, 0, '/0/1/', '爱拓科技'),
      department(7, 1, '/0/1/7/', '研发部'),
      department(8, 1, '/0/1/8/', '运维部'),
      department(9, 1, '/0/1/9/', '客服部'),
      department(10, 1, '/0/1/10/', '人力资源', disabled),
    ],
    sys_role: [
      {
        role_id: 1,
        role_name: '系统管理员',
        status: enabled,
        role_key: 'admin',
        role_sort: 1,
        data_scope: '',
      },
    ],
    sys_user: [
      {
        user_id: 1,
        username: 'admin',
        password: publishedHash,
        nick_name: 'zhangwj',
        phone: '13818888888',
        role_id: 1,
        sex: '1',
        email: '1@qq.com',
        dept_id: 1,
        post_id: 1,
        status: enabled,
      },
    ],
  };
}
