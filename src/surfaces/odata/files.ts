/** Files that open a saved view in Excel and in Power BI: they hold the address of its set and no password. */
import { plainName } from '../../kernel/report/flat.js'
import { escaped } from './metadata.js'

/** A Power BI data source file. */
export const pbids = (url: string): string =>
  JSON.stringify(
    {
      version: '0.1',
      connections: [{ details: { protocol: 'odata', address: { url } }, options: {}, mode: 'Import' }],
    },
    null,
    2,
  )

/** An Office data connection with a query of Power Query, as Excel writes one: its own OData connection reads no version 4. */
export function odc(url: string, name: string): string {
  const query = plainName(name)
  const formula = `let\r\n    Source = OData.Feed("${url.replaceAll('"', '""')}", null, [Implementation="2.0"])\r\nin\r\n    Source`
  const mashup = `<Mashup xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="http://schemas.microsoft.com/DataMashup"><Client>EXCEL</Client><Version>2.61.5192.1301</Version><MinVersion>2.21.0.0</MinVersion><Culture>en-US</Culture><SafeCombine>true</SafeCombine><Items><Query Name="${query}"><Formula><![CDATA[${formula}]]></Formula><IsParameterQuery xsi:nil="true" /><IsDirectQuery xsi:nil="true" /></Query></Items></Mashup>`
  return `<html xmlns:o="urn:schemas-microsoft-com:office:office"
xmlns="http://www.w3.org/TR/REC-html40">

<head>
<meta http-equiv=Content-Type content="text/x-ms-odc; charset=utf-8">
<meta name=ProgId content=ODC.Database>
<meta name=SourceType content=OLEDB>
<title>Query - ${query}</title>
<xml id=docprops><o:DocumentProperties
  xmlns:o="urn:schemas-microsoft-com:office:office"
  xmlns="http://www.w3.org/TR/REC-html40">
  <o:Description>${escaped(`The saved view ${name} of Millbook.`)}</o:Description>
  <o:Name>Query - ${query}</o:Name>
 </o:DocumentProperties>
</xml><xml id=msodc><odc:OfficeDataConnection
  xmlns:odc="urn:schemas-microsoft-com:office:odc"
  xmlns="http://www.w3.org/TR/REC-html40">
  <odc:PowerQueryConnection odc:Type="OLEDB">
   <odc:ConnectionString>Provider=Microsoft.Mashup.OleDb.1;Data Source=$Workbook$;Location=${query};Extended Properties=&quot;&quot;</odc:ConnectionString>
   <odc:CommandType>SQL</odc:CommandType>
   <odc:CommandText>SELECT * FROM [${query}]</odc:CommandText>
  </odc:PowerQueryConnection>
  <odc:PowerQueryMashupData>${lines(mashup)}</odc:PowerQueryMashupData>
 </odc:OfficeDataConnection>
</xml>
</head>
<body></body>
</html>
`
}

/** The XML inside the XML, with its lines. */
const lines = (xml: string): string => xml.split('\r\n').map(escaped).join('\r\n')
