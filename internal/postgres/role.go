package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// The roles that transactions step into. Row-level security shows appRole the rows of the one tenant that cairn.tenant
// names, and systemRole the rows of all. Only work across tenants steps into systemRole: leases, the change log,
// indexes, the doctor.
const (
	appRole    = "cairn_app"
	systemRole = "cairn_system"
)

// allTenants is the tenant of work across tenants, and noTenant that of work which looks at no row of any tenant. No
// tenant can have either name.
const (
	allTenants = "*"
	noTenant   = ""
)

// stepIn begins every pipeline of one tenant that is not in a transaction of [database.in]: what it sets holds until
// the pipeline's end.
const stepIn = "SELECT set_config('role', '" + appRole + "', true), set_config('cairn.tenant', $1, true)"

// everyTenant is the policy that shows systemRole all rows. Where a table has it, the policy of appRole knows no
// wildcard.
const everyTenant = "every_tenant"

// parted asks whether the policies of the two roles are told apart in this database.
const parted = "EXISTS (SELECT 1 FROM pg_policy WHERE polname = '" + everyTenant +
	"' AND polrelid = to_regclass('cairn.memories'))"

// stepInAll is stepIn for work across tenants.
//
// A login may lack the right to make or to step into systemRole. The policy of appRole then has a wildcard, as it had
// before there was a second role. Another process may tell the roles apart at any time, so such a login looks each
// time.
func stepInAll(system bool) string {
	role := "'" + systemRole + "'"
	if !system {
		role = "CASE WHEN " + parted + " THEN '" + systemRole + "' ELSE '" + appRole + "' END"
	}
	return "SELECT set_config('role', " + role + ", true), set_config('cairn.tenant', '" + allTenants + "', true)"
}

// enter queues what begins a pipeline of a tenant, or of [allTenants]. In the middle of a transaction it changes the
// tenant.
func (db *database) enter(ctx context.Context, b *pgx.Batch, tenant string) {
	if tenant == allTenants {
		b.Queue(stepInAll(db.system) + db.impatient(ctx))
		return
	}
	b.Queue(stepIn+db.impatient(ctx), tenant)
}

// beginner begins a transaction: of a connection, or a part of another transaction.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// makeRole makes a role that nobody logs in as. It is one for all databases of the server, so another may have
// made it, or be making it.
func makeRole(ctx context.Context, db interface {
	beginner
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, name string) error {
	var has bool
	if err := db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)", name).Scan(
		&has); err != nil || has {
		return err
	}
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "CREATE ROLE "+name+" NOLOGIN")
		return err
	})
	switch code(err) {
	case duplicateObject, uniqueViolation:
		return nil
	case insufficientPrivilege:
		return cairn.Errorf(cairn.Unavailable,
			"store: the login may not create the role %[1]s; as a superuser run: CREATE ROLE %[1]s NOLOGIN; GRANT %[1]s TO the login", name)
	}
	return err
}

// stepInto makes sure that the login may step into appRole. Its maker may give itself the right.
func stepInto(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, stepIn, noTenant)
	if code(err) != insufficientPrivilege {
		return err
	}
	if _, err := conn.Exec(ctx, "GRANT "+appRole+" TO CURRENT_USER"); err == nil {
		_, err = conn.Exec(ctx, stepIn, noTenant)
		return err
	}
	return cairn.Errorf(cairn.Unavailable,
		"store: the login may not become the role %[1]s; as a superuser run: GRANT %[1]s TO the login", appRole)
}

// makeSystemRole makes systemRole where the login may, and reports whether the login may step into it. advice is what a
// superuser runs if not.
func makeSystemRole(ctx context.Context, conn *pgx.Conn) (system bool, advice string, err error) {
	if err := makeRole(ctx, conn, systemRole); err != nil && cairn.KindOf(err) != cairn.Unavailable {
		return false, "", err
	}
	var there, apart bool
	var login string
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1), quote_ident(current_user),
		current_setting('server_version_num')::int >= 160000`, systemRole).Scan(&there, &login, &apart)
	if err != nil {
		return false, "", err
	}
	if there {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
			if err = mayStepInto(ctx, tx, systemRole); err == nil {
				_, err = tx.Exec(ctx, "SET LOCAL ROLE "+systemRole)
			}
			return err
		})
		if code(err) != insufficientPrivilege {
			return err == nil, "", err
		}
	} else {
		advice = "CREATE ROLE " + systemRole + " NOLOGIN; "
	}
	advice += "GRANT " + systemRole + " TO " + login
	if apart {
		advice += " WITH INHERIT FALSE"
	}
	return false, advice + ";", nil
}

// mayStepInto lets the login act as a role where it can see to that. It gets none of the role's rights by that alone,
// where the server can tell the two apart.
func mayStepInto(ctx context.Context, tx pgx.Tx, role string) error {
	var apart, may bool
	if err := tx.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 160000").Scan(&apart); err != nil {
		return err
	}
	right := "MEMBER"
	if apart {
		right = "SET"
	}
	if err := tx.QueryRow(ctx, "SELECT pg_has_role(current_user, $1, $2)", role, right).Scan(&may); err != nil || may {
		return err
	}
	grant := "GRANT " + role + " TO CURRENT_USER"
	if apart {
		grant += " WITH INHERIT FALSE, SET TRUE"
	}
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, grant)
		return err
	})
	if code(err) == insufficientPrivilege { // somebody else may have granted it
		return nil
	}
	return err
}

// mayWorkForAll makes sure that a login without the second role is not blind: where the roles are told apart already,
// the policy of appRole shows it nothing of all tenants.
func mayWorkForAll(ctx context.Context, conn *pgx.Conn, advice string) error {
	var apart bool
	if err := conn.QueryRow(ctx, "SELECT "+parted).Scan(&apart); err != nil || !apart {
		return err
	}
	return cairn.Errorf(cairn.Unavailable,
		"store: the login may not become the role %s, which jobs and the doctor use; as a superuser run: %s",
		systemRole, advice)
}

// Advice says what would tell tenants apart better than the login may see to, and what a superuser runs for that;
// nothing if all is as it should be.
func (u *upkeep) Advice() (lack, run string) {
	if u.system {
		return "", ""
	}
	return "a statement of the role " + appRole + " can read every tenant with cairn.tenant = '" + allTenants +
		"', because the login may not make or use the role " + systemRole, u.advice
}
